/** What `make` makes, made when it is first asked for: for what many readers of an answer never look at. */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
