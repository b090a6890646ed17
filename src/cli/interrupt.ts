import { ExitCode } from './exit.ts';

const stop = (): void => process.exit(ExitCode.interrupted);

/** While files are read or written: what is unfinished is removed, and the exit code is 130. */
export function catchInterrupt(): void {
  process.on('SIGINT', stop);
}

/** While the processor computes no handler could run; without one the system stops the process at once, which a shell calls 130 too. */
export function releaseInterrupt(): void {
  process.removeListener('SIGINT', stop);
}

/** Settled by an interruption, for a program that waits for one. */
export const awaitInterrupt = (): Promise<void> => new Promise((resolve) => process.on('SIGINT', () => resolve()));
