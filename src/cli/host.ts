import { AsyncLocalStorage } from 'node:async_hooks';

/** A stream as far as the program writes to it. */
export interface Output {
  readonly isTTY?: boolean;
  write(text: string): boolean;
  once(event: 'drain', listener: () => void): unknown;
}

/** What a run of the program writes to: the process, unless it was given another. */
export interface Host {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const given = new AsyncLocalStorage<Host>();

export const host = (): Host => given.getStore() ?? process;

/** Runs `action`, and all that it calls, with another host: several runs in one process, at once too, do not meet. */
export const withHost = <T>(other: Host, action: () => Promise<T>): Promise<T> => given.run(other, action);
