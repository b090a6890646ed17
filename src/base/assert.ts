/** States what our own code guarantees. A failure is a bug of ours, never damage in the input. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(`bug: ${message}`);
}

/** Closes a `switch` over a union: a case that is added and not handled does not compile. */
export function assertNever(value: never): never {
  throw new Error(`bug: unhandled case ${JSON.stringify(value)}`);
}
