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

/** Of a program that waits to be interrupted. */
export interface Interruption {
  readonly came: Promise<void>;
  /** Computes something, meanwhile without a handler. */
  whileBusy<T>(compute: () => T): T;
}

export function awaitInterrupt(): Interruption {
  let resolve = (): void => undefined;
  const came = new Promise<void>((done) => (resolve = done));
  const listener = (): void => resolve();
  process.on('SIGINT', listener);
  return {
    came,
    whileBusy(compute) {
      process.removeListener('SIGINT', listener);
      try {
        return compute();
      } finally {
        process.on('SIGINT', listener);
      }
    },
  };
}
