/** What a shell learns. The list is the product's promise: README, "Exit codes". */
export const ExitCode = {
  answered: 0,
  /** Wrong arguments, or a file that cannot be read. */
  usage: 2,
  /** The question does not apply to this trace. */
  notApplicable: 3,
  bug: 70,
  interrupted: 130,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

/** What the user did or gave cannot work. The message is one line: what, where, what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
