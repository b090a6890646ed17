/** The commands and their flags. A command's own code is loaded when it is called. */
import { existsSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import type { Flags } from './args.ts';
import { EXAMPLES, type Example, exampleLines } from './examples.ts';
import { ExitCode, UsageError } from './exit.ts';
import {
  addAnswerFlags,
  addChangeFlags,
  addCommonFlags,
  addCriticalPathFlags,
  addDemoFlags,
  addExecutorFlags,
  addExportFlags,
  addFileFlags,
  addGraphFlags,
  addJobFlags,
  addLaunchesFlags,
  addMapFlags,
  addOpsFlags,
  addPathFlags,
  addReportFlags,
  addServeFlags,
  addWindowFlags,
} from './flag-sets.ts';
import { host } from './host.ts';
import type { Command as CommandName, JobInput } from './input.ts';
import type { LIMITS } from './limits.ts';
import { writeError, writeNote } from './output.ts';

interface CommandModule {
  readonly run: (paths: readonly string[], flags: Flags) => Promise<ExitCode>;
  /** Of a command that answers for several ranks together. */
  readonly runJob?: (input: JobInput, flags: Flags) => Promise<ExitCode>;
}

const LAST_WORDS = `
PATH is a trace of torch.profiler (.json, .json.gz, .json.zst), or - for standard input.
Exit codes: 0 answered, 2 wrong usage or unreadable, 3 no answer, 70 a bug, 130 interrupted.
longpole COMMAND --help has its flags and further examples.
`;

/** They end with Ctrl-C, so that no test runs them. */
const SERVE_EXAMPLES: readonly Example[] = [
  { line: 'longpole serve trace.json.gz', answers: 'the timeline with its path, in a browser' },
  { line: 'longpole serve trace.json.gz --step 1 --port 8765', answers: 'the path of one step, at a port of your own' },
];

/** What a first look at a trace may be, from the examples of the commands. */
const TOUR = [
  ...EXAMPLES.report,
  ...EXAMPLES['critical-path'],
  ...(['idle', 'kernels', 'ops', 'explain', 'what-if'] as const).map((id) => EXAMPLES[id][0]),
];

/** The commands that are an analysis of windows and nothing else. */
const WINDOW_COMMANDS = {
  breakdown: [
    'where the time of each device went: computing, communicating, copying, idle',
    () => import('./commands/breakdown.ts'),
  ],
  idle: ['why each device was idle, and what each gap waited for', () => import('./commands/idle.ts')],
  kernels: ['the kernels: how often, how long, on the path or not', () => import('./commands/kernels.ts')],
  ops: ['the host ops: own and total time, and what they launched', () => import('./commands/ops.ts')],
  communication: [
    'the collectives: sizes, bandwidth, and what hides them',
    () => import('./commands/communication.ts'),
  ],
  launches: ['the launches: how long, how far ahead, how full the queue', () => import('./commands/launches.ts')],
  counters: ['queue depth and memory bandwidth over time', () => import('./commands/counters.ts')],
  annotations: [
    'the annotations: their time, and the device work launched inside',
    () => import('./commands/annotations.ts'),
  ],
  steps: ['the steps: how long each, what makes one slower, which to trust', () => import('./commands/steps.ts')],
} as const;

/** Flags that only one of them has. */
const OWN_FLAGS: Partial<Readonly<Record<keyof typeof WINDOW_COMMANDS, (to: Command) => Command>>> = {
  launches: addLaunchesFlags,
  ops: addOpsFlags,
};

/** Runs one command line, without the name of the program; the exit code, which the caller gives to the system. */
export async function runProgram(args: readonly string[], version: string): Promise<ExitCode> {
  try {
    return (await buildProgram(version).parseAsync(args, { from: 'user' })).exitCode;
  } catch (error) {
    return tell(error, args.includes('--debug'));
  }
}

class Program extends Command {
  /** What its command ended with. */
  exitCode: ExitCode = ExitCode.answered;
}

function buildProgram(version: string): Program {
  const program = new Program('longpole')
    .description('Finds what a GPU job’s time is really spent on, from its profiler trace.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .addHelpText('after', `\n${exampleLines(TOUR)}${LAST_WORDS}`)
    .configureHelp({ helpWidth: 100, subcommandTerm: (each) => each.name() })
    .configureOutput({ writeOut: (text) => host().stdout.write(text), outputError: () => undefined })
    .exitOverride();

  const report = command(
    program,
    'report',
    'what bounds a step and where to look first (the default)',
    () => import('./commands/report.ts'),
  );
  addPathFlags(addWindowFlags(addExecutorFlags(addReportFlags(report))));
  command(program, 'info', 'what is in this file, and the health of its data', () => import('./commands/info.ts'));
  const path = command(
    program,
    'critical-path',
    'what bounds a window, segment by segment',
    () => import('./commands/critical-path.ts'),
  );
  addPathFlags(addWindowFlags(addCriticalPathFlags(path)));
  const sync = command(
    program,
    'sync',
    'each record, wait and synchronising call: what it waited for',
    () => import('./commands/sync.ts'),
  );
  addGraphFlags(sync);
  for (const [name, [description, load]] of Object.entries(WINDOW_COMMANDS)) {
    const id = name as keyof typeof WINDOW_COMMANDS;
    const made = command(program, id, description, load);
    addPathFlags(addWindowFlags(OWN_FLAGS[id]?.(made) ?? made));
  }
  const explain = command(
    program,
    'explain',
    'why an event began when it did: the chain of causes',
    () => import('./commands/explain.ts'),
    'a trace, or - for standard input; then an event, e-123 or corr:1411',
  );
  addGraphFlags(explain.usage('[options] PATH EVENT'));
  const whatIf = command(
    program,
    'what-if',
    'what a window would take if something were faster, or gone',
    () => import('./commands/what-if.ts'),
  );
  addPathFlags(addWindowFlags(addChangeFlags(whatIf)));
  const written = plainCommand(
    program,
    'export',
    'what the trace says, as a file for other programs',
    () => import('./commands/export.ts'),
  );
  addPathFlags(addWindowFlags(addExportFlags(written.usage('[options] --format FORMAT PATH'))));
  const serve = plainCommand(
    program,
    'serve',
    'the page: a timeline that answers why',
    () => import('./commands/serve.ts'),
  );
  addPathFlags(addWindowFlags(addServeFlags(serve)));
  const map = plainCommand(
    program,
    'map',
    'one half of a job’s report: a summary of each rank, wherever its file is',
    () => import('./commands/map.ts'),
    'traces of ranks, or a folder of them',
  );
  addPathFlags(addWindowFlags(addMapFlags(map.usage('[options] PATH... --out DIR'))));
  const reduce = command(
    program,
    'reduce',
    'the other half: the report of all ranks that were mapped',
    () => import('./commands/reduce.ts'),
    'the folder that map wrote to',
  );
  addJobFlags(addReportFlags(reduce.usage('[options] DIR')));
  const demo = command(
    program,
    'demo',
    'the report of a simulated job, for a first try',
    () => import('./commands/demo.ts'),
  );
  addDemoFlags(demo.usage('[options]').configureHelp({ helpWidth: 100, visibleArguments: () => [] }));
  for (const each of program.commands) addCommonFlags(each === demo || each === reduce ? each : addFileFlags(each));
  return program;
}

function command(
  program: Program,
  name: keyof typeof LIMITS,
  description: string,
  load: () => Promise<CommandModule>,
  argument?: string,
): Command {
  return addAnswerFlags(plainCommand(program, name, description, load, argument), name);
}

/** A command without an answer to print. */
function plainCommand(
  program: Program,
  name: CommandName,
  description: string,
  load: () => Promise<CommandModule>,
  argument = 'a trace, - for standard input, or a folder of ranks',
): Command {
  return program
    .command(name, { isDefault: name === 'report' })
    .description(description)
    .argument('[PATH...]', argument)
    .addHelpText('after', `\n${exampleLines(name === 'serve' ? SERVE_EXAMPLES : EXAMPLES[name])}`)
    .action(async (paths: string[], flags: Flags) => {
      program.exitCode = await runCommand(name, await load(), paths, flags);
    });
}

/** Commands whose paths are no traces, or whose files are opened by the command itself. */
const OWN_INPUT: ReadonlySet<CommandName> = new Set<CommandName>(['demo', 'map', 'reduce']);

async function runCommand(name: CommandName, module: CommandModule, args: string[], flags: Flags): Promise<ExitCode> {
  if (OWN_INPUT.has(name)) return module.run(args, flags);
  // The event comes last, behind the trace.
  const rest = name === 'explain' ? args.slice(-1) : [];
  const paths = args.slice(0, args.length - rest.length);
  const { chooseInput, oneRankOnly } = await import('./choose-input.ts');
  const input = await chooseInput(name, paths, flags);
  if (input.kind === 'trace') return module.run([...input.paths, ...rest], flags);
  if (module.runJob === undefined) throw oneRankOnly(name, paths, input.files);
  return module.runJob({ files: input.files, rest }, flags);
}

/** A trace whose name begins like an option. */
function dashHint(message: string): string {
  const path = /^unknown option '(-[^']+)'$/.exec(message)?.[1];
  if (path === undefined || !(/\.json/i.test(path) || existsSync(path))) return '';
  return `; a path that begins with - comes behind --: longpole -- ${path}`;
}

/** Which exit code an error means, told in one line. */
function tell(error: unknown, isDebug: boolean): ExitCode {
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
  writeError(
    `${message.startsWith('bug: ') ? '' : 'bug: '}${message}; ${isDebug ? 'please report it' : 'please report it with what --debug prints'}`,
  );
  if (isDebug && error instanceof Error) writeNote(error.stack ?? '');
  return ExitCode.bug;
}
