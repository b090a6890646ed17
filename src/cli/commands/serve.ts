import { type Flags, quote, scopeOptionsOf } from '../args.ts';
import { ExitCode, UsageError } from '../exit.ts';
import { fileNameOf, openInputWith } from '../input.ts';
import { awaitInterrupt } from '../interrupt.ts';
import { writeNote, writeOut } from '../output.ts';

/** Serves the page until it is interrupted. */
export async function run(paths: readonly string[], flags: Flags): Promise<ExitCode> {
  const port = portOf(flags);
  const allowedHosts = hostsOf(flags);
  const options = await scopeOptionsOf(flags);
  const { openThread } = await import('../../server/answer-thread.ts');
  const { servePage } = await import('../../server/serve.ts');
  const answers = await openInputWith('serve', paths, flags, (path, file) => openThread(path, file, options));
  if (answers.events === 0) throw new UsageError(`${fileNameOf(paths)}: no events, so there is no page`);
  const interrupted = awaitInterrupt();
  const served = await servePage({ answers, port, allowedHosts }).catch(async (error: NodeJS.ErrnoException) => {
    await answers.stop();
    if (error.code === undefined) throw error;
    throw new UsageError(`--port ${port}: cannot listen (${error.code}); another one, or none for any that is free`);
  });
  await writeOut(`${served.url}\n`);
  writeNote(hints(served.port).join('\n'));
  await interrupted;
  await Promise.all([served.close(), answers.stop()]);
  return ExitCode.interrupted;
}

function portOf({ port }: Flags): number {
  if (port === undefined) return 0;
  const wanted = /^\d{1,5}$/.test(port) ? Number(port) : NaN;
  if (wanted >= 1 && wanted <= 65_535) return wanted;
  throw new UsageError(`--port ${quote(port)} is no port of 1 to 65535; for example --port 8765`);
}

function hostsOf({ allowHost = [] }: Flags): readonly string[] {
  for (const name of allowHost) {
    if (/^(\[[0-9a-f:]+\]|[a-z0-9._-]+)$/i.test(name)) continue;
    throw new UsageError(`--allow-host ${quote(name)} is no name of a host; for example --allow-host hub.example.org`);
  }
  return allowHost;
}

/** Under SSH the browser is on another machine. */
function hints(port: number): string[] {
  const lines = ['serving on this machine only; Ctrl-C ends it'];
  if (process.env['SSH_CONNECTION'] === undefined) return lines;
  const { USER = 'you' } = process.env;
  const server = process.env['SSH_CONNECTION'].split(' ')[2] ?? 'this-machine';
  return [
    `on your own machine: ssh -N -L ${port}:localhost:${port} ${USER}@${server}, then open the URL there`,
    ...lines,
  ];
}
