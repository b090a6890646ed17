// The command line without a process: what a case asks of arguments, output and exit code takes a few milliseconds in a worker that has read
// the program already. What only a process has (standard input, pipes, signals, its start, threads, the page's script) is asked by run-built.ts.
import { type Host, type Output, withHost } from '../cli/host.ts';
import { releaseInterrupt } from '../cli/interrupt.ts';
import { runProgram } from '../cli/program.ts';
import type { Ended } from './run-built.ts';

/** Made for what a test asks: the text of one stream, which takes whatever comes. */
class Kept implements Output {
  text = '';
  readonly isTTY: boolean;

  constructor(isTTY: boolean) {
    this.isTTY = isTTY;
  }

  write(text: string): true {
    this.text += text;
    return true;
  }

  once(): void {
    // It never asks to wait.
  }
}

/** One after the other, since they share the process's folder. */
let last: Promise<unknown> = Promise.resolve();

/** Runs `longpole ARGS` in `folder`, in this process; on a terminal with `isTTY`. Without a cache, which other tests would share. */
export function runIn(folder: string, args: readonly string[], { isTTY = false } = {}): Promise<Ended> {
  const run = last.then(() => runOne(folder, args, isTTY));
  last = run.catch(() => undefined);
  return run;
}

async function runOne(folder: string, args: readonly string[], isTTY: boolean): Promise<Ended> {
  const [stdout, stderr] = [new Kept(isTTY), new Kept(isTTY)];
  const host: Host = { stdout, stderr, env: { TERM: 'xterm', LONGPOLE_CACHE: 'off' } };
  const before = process.cwd();
  process.chdir(folder);
  try {
    const code = await withHost(host, () => runProgram(args, '0.0.0'));
    return { code, stdout: stdout.text, stderr: stderr.text };
  } finally {
    // Commands that write a file catch it anew.
    releaseInterrupt();
    process.chdir(before);
  }
}
