/** The program: names the commands and their flags. A command's own code is loaded when it is called. */
import { existsSync, readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import type { Flags } from './args.ts';
import { ExitCode, UsageError } from './exit.ts';
import { catchInterrupt } from './interrupt.ts';
import { type LIMITS, limitHelp } from './limits.ts';
import { watchStdout, writeError, writeNote } from './output.ts';

interface CommandModule {
  readonly run: (paths: readonly string[], flags: Flags) => Promise<ExitCode>;
}

const EXAMPLES = `
Examples:
  longpole trace.json.gz                           what bounds a step, and where to look first
  longpole critical-path trace.json.gz --step 5    the path of one step
  longpole critical-path trace.json.gz --overlay path.json.gz
                                                   the same trace with the path marked, for Perfetto
  longpole explain trace.json.gz e-123             why this event began when it did
  longpole what-if trace.json.gz --scale '/gemm/=0.5'
                                                   the step, were these kernels twice as fast
  longpole sync trace.json.gz --json               every wait, with its source

PATH is a trace of torch.profiler (.json, .json.gz, .json.zst), or - for standard input.
Exit codes: 0 answered, 2 wrong usage or unreadable, 3 no answer, 70 a bug, 130 interrupted.
`;

function buildProgram(): Command {
  const program = new Command('longpole')
    .description('Finds what a GPU job’s time is really spent on, from its profiler trace.')
    .version(readVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .addHelpText('after', EXAMPLES)
    .configureHelp({ helpWidth: 100 })
    .configureOutput({ outputError: () => undefined })
    .exitOverride();

  const report = command(
    program,
    'report',
    'what bounds a step and where to look first (the default)',
    () => import('./commands/report.ts'),
  );
  addPathFlags(addWindowFlags(report));
  command(program, 'info', 'what is in this file, and the health of its data', () => import('./commands/info.ts'));
  const path = command(
    program,
    'critical-path',
    'what bounds a window, segment by segment',
    () => import('./commands/critical-path.ts'),
  );
  addPathFlags(addWindowFlags(path))
    .option('--overlay <FILE>', 'write the trace with the path marked, for Perfetto and Chrome (.gz: compressed)')
    .option('--only-critical', 'of the overlay: only the path, annotations and metadata')
    .option('--slack', 'how much each event may grow, and what the largest groups can really win');
  const sync = command(
    program,
    'sync',
    'each record, wait and synchronising call: what it waited for',
    () => import('./commands/sync.ts'),
  );
  addGraphFlags(sync);
  const explain = command(
    program,
    'explain',
    'why an event began when it did: the chain of causes',
    () => import('./commands/explain.ts'),
  );
  addGraphFlags(explain.usage('[options] PATH EVENT'));
  const whatIf = command(
    program,
    'what-if',
    'what a window would take if something were faster, or gone',
    () => import('./commands/what-if.ts'),
  );
  addChangeFlags(addPathFlags(addWindowFlags(whatIf)));
  command(program, 'demo', 'the report of a simulated job, for a first try', () => import('./commands/demo.ts'))
    .usage('[options]')
    .option('--program <NAME>', 'another simulated job; --program list names them')
    .option('--out <FILE>', 'also write its trace (.gz: compressed)');
  return program;
}

/** Of the package that this file was built into, one folder up. */
function readVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return /"version": "([^"]+)"/.exec(text)?.[1] ?? 'unknown';
}

function command(
  program: Command,
  name: keyof typeof LIMITS,
  description: string,
  load: () => Promise<CommandModule>,
): Command {
  return program
    .command(name, { isDefault: name === 'report' })
    .description(description)
    .argument('[PATH...]', 'a trace, or - for standard input')
    .helpOption('-h, --help', 'print this help')
    .option('--json', 'print one JSON document')
    .option('--limit <N>', limitHelp(name))
    .option('--full-names', 'names of kernels as written')
    .option('--diagnostics', 'explain all damage that was found in the data')
    .option('--max-bytes <SIZE>', 'refuse more JSON than this, such as 2GiB (16GiB)')
    .option('--skip <CATEGORY>', 'leave out rows of a category, such as python_function: less memory', several)
    .option('--no-cache', 'do not keep what was read, nor use what was kept')
    .option('--debug', 'show the stack of a bug')
    .action(async (paths: string[], flags: Flags) => {
      const { run } = await load();
      process.exitCode = await run(paths, flags);
    });
}

function addWindowFlags(to: Command): Command {
  return to
    .option('--step <N>', 'one step, by the number in ProfilerStep#N')
    .option('--steps <A..B>', 'several steps')
    .option('--annotation <NAME>', 'the annotations of exactly this name')
    .option('--match <REGEX>', 'the annotations that match')
    .option('--instance <N|A..B>', 'which of those annotations, from 0')
    .option('--range <A..B>', 'a span of time, such as 1.2ms..3.4ms');
}

function addPathFlags(to: Command): Command {
  return addGraphFlags(to).option('--data-loading <REGEX>', 'further names that mean data loading');
}

const several = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

function addChangeFlags(to: Command): Command {
  return to
    .option('--scale <OPS=FACTOR>', "their time times a factor: '/gemm|cutlass/=0.5', kind:collective=0.8", several)
    .option('--remove <OPS>', 'as if they had not been', several)
    .option('--launch-latency <TIME>', 'of every launch, such as 0us')
    .option('--no-host-gaps', 'no host time between ops')
    .option('--overlap <COLLECTIVES>', 'they hold up only what waits for them by an event', several)
    .option('--graph-launch <TIME>', 'one launch for each run of kernels shorter than this, such as 20us')
    .option('--balance [WHAT]', 'equal work on all ranks (not yet)')
    .option('--force', 'predict even where the error is above 15 %')
    .option('--overlay <FILE>', 'write the trace with the re-simulated timeline beside it (.gz: compressed)');
}

function addGraphFlags(to: Command): Command {
  return to
    .option('--exact', 'only what the trace says: no inferred waits')
    .option('--legacy-default-stream', 'the default stream waits for all others of its device, and they for it');
}

/** A trace whose name begins like an option. */
function dashHint(message: string): string {
  const path = /^unknown option '(-[^']+)'$/.exec(message)?.[1];
  if (path === undefined || !(/\.json/i.test(path) || existsSync(path))) return '';
  return `; a path that begins with - comes behind --: longpole -- ${path}`;
}

/** Which exit code an error means, told in one line. */
function tell(error: unknown): ExitCode {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return ExitCode.answered;
    const message = error.message.replace(/^error: /, '').replace(/\n\(Did you mean (.*)\?\)$/, '; did you mean $1?');
    writeError(message + dashHint(message));
    return ExitCode.usage;
  }
  if (error instanceof UsageError) {
    writeError(error.message);
    return ExitCode.usage;
  }
  const message = error instanceof Error ? error.message : String(error);
  const isDebug = process.argv.includes('--debug');
  writeError(
    `${message.startsWith('bug: ') ? '' : 'bug: '}${message}; ${isDebug ? 'please report it' : 'please report it with what --debug prints'}`,
  );
  if (isDebug && error instanceof Error) writeNote(error.stack ?? '');
  return ExitCode.bug;
}

watchStdout();
catchInterrupt();
try {
  await buildProgram().parseAsync();
} catch (error) {
  process.exitCode = tell(error);
}
