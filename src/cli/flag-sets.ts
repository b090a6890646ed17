/** The flags of commands, in the groups that their help shows. */
import { type Command, Option } from 'commander';
import { type LIMITS, limitHelp } from './limits.ts';

type Id = keyof typeof LIMITS | 'export' | 'serve' | 'map';

const LAST_GROUP = 'Reading and help:';

/** Commands that print no name of a kernel. */
const WITHOUT_NAMES: ReadonlySet<Id> = new Set<Id>(['info', 'breakdown', 'communication', 'counters']);

export function addAnswerFlags(to: Command, id: keyof typeof LIMITS): Command {
  to.optionsGroup('Answer:')
    .option('--json', 'print one JSON document, times in ns')
    .option('--limit <N>', limitHelp(id));
  return WITHOUT_NAMES.has(id) ? to : to.option('--full-names', 'names of kernels as written, not shortened');
}

/** Of a command that reads a file. */
export function addFileFlags(to: Command): Command {
  return to
    .optionsGroup(LAST_GROUP)
    .option('--rank <LIST>', 'of several files only these ranks, such as 3 or 0,3..5')
    .option('--diagnostics', 'explain all damage that was found in the data')
    .option('--max-bytes <SIZE>', 'refuse more JSON than this, such as 2GiB (16GiB)')
    .option('--skip <CATEGORY>', 'leave out rows of a category, such as python_function: less memory', several)
    .option('--no-cache', 'do not keep what was read, nor use what was kept');
}

/** Of every command, last of all. */
export function addCommonFlags(to: Command): Command {
  return to
    .optionsGroup(LAST_GROUP)
    .option('--debug', 'show the stack of a bug')
    .helpOption('-h, --help', 'print this help');
}

export function addWindowFlags(to: Command): Command {
  const range = new Option('--range <A..B>', 'a span of the trace, such as 1.2ms..3.4ms');
  // `what-if` says why it cannot have one.
  if (to.name() === 'what-if') range.hideHelp();
  return to
    .optionsGroup('Window (all complete steps where there are steps, else the whole trace):')
    .option('--step <N>', 'one step, by the number in ProfilerStep#N')
    .option('--steps <A..B>', 'several steps, such as 5..7')
    .option('--annotation <NAME>', 'the annotations of exactly this name')
    .option('--match <REGEX>', 'the annotations that match')
    .option('--instance <N|A..B>', 'which of those annotations, in order of time from 0 (all)')
    .addOption(range);
}

/** How the graph is built. */
export function addGraphFlags(to: Command): Command {
  return to
    .optionsGroup('Interpretation:')
    .option('--exact', 'only what the trace says: no inferred waits')
    .option('--rules <FILE>', 'classes of kernels by name: [{"match": REGEX, "class": "communication"}]')
    .option('--legacy-default-stream', 'the default stream waits for all others of its device, and they for it');
}

export function addPathFlags(to: Command): Command {
  return addGraphFlags(to).option(
    '--data-loading <REGEX>',
    'further names of ops, annotations and frames that load data',
  );
}

export function addReportFlags(to: Command): Command {
  return to
    .option('--markdown', 'print it as Markdown, for a pull request')
    .option(
      '--html <FILE>',
      'write it as a page with charts and the timeline, in one file that needs no network (- prints it)',
    )
    .option('--max-size <SIZE>', 'of the page at most: what is left out is said in it (20MB)');
}

export function addCriticalPathFlags(to: Command): Command {
  return to
    .optionsGroup('Of critical-path:')
    .option('--overlay <FILE>', 'write the trace with the path marked, for Perfetto and Chrome (.gz: compressed)')
    .option('--only-critical', 'of the overlay: only the path, annotations and metadata')
    .option('--slack', 'how much each event may grow, and what the largest groups can really win');
}

export function addLaunchesFlags(to: Command): Command {
  return to
    .optionsGroup('Of launches:')
    .option('--min-call <TIME>', 'list the calls that take longer than this (50us)')
    .option('--min-delay <TIME>', 'list the launches that wait longer than this (100us)')
    .option('--full-queue <N>', "launches that fill a stream's queue (1024)");
}

export function addOpsFlags(to: Command): Command {
  return to
    .optionsGroup('Of ops:')
    .option('--by <WHAT>', 'op (the default), shape, module, python or annotation')
    .option('--sort <BY>', 'self (own time, the default), total, device or launches')
    .option('--tree <WAY>', 'the tree of calls instead: top-down or bottom-up')
    .option('--sequences', 'which kernels each op launches in which order instead, and the delays');
}

const several = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

export function addChangeFlags(to: Command): Command {
  return to
    .optionsGroup('Changes (one or more):')
    .option('--scale <OPS=FACTOR>', "their time times a factor: '/gemm|cutlass/=0.5', kind:collective=0.8", several)
    .option('--remove <OPS>', 'as if they had not been', several)
    .option('--launch-latency <TIME>', 'of every launch, such as 0us')
    .option('--no-host-gaps', 'no host time between ops')
    .option('--overlap <COLLECTIVES>', 'they hold up only what waits for them by an event', several)
    .option('--graph-launch <TIME>', 'one launch for each run of kernels shorter than this, such as 20us')
    .option('--balance [RANKS]', 'of several ranks: these (all) do as much work as the median of their role')
    .optionsGroup('Of what-if:')
    .option('--ranks <LIST>', 'of several ranks: change only these, such as 3 or 0,3..5; the others stay as they are')
    .option('--force', 'predict even where the error is above 15 %')
    .option('--overlay <FILE>', 'write the trace with the re-simulated timeline beside it (.gz: compressed)');
}

export function addExportFlags(to: Command): Command {
  return to
    .optionsGroup('Of export:')
    .option(
      '--format <FORMAT>',
      'chrome: the trace with rows added, for Perfetto; folded: stacks with their time, for flame graphs',
    )
    .option('--counters', 'of chrome: add queue depth and memory bandwidth over time')
    .option('--weight <WHAT>', 'of folded stacks: host (own time, the default) or device (time of what they launched)')
    .option('--out <FILE>', 'the file to write (.gz: compressed); standard output without it');
}

export function addJobFlags(to: Command): Command {
  return to
    .optionsGroup('Of a job (several ranks):')
    .option('--groups <FILE>', 'what process groups are for: [{"name": "1", "kind": "tensor"}]');
}

export function addExecutorFlags(to: Command): Command {
  return addJobFlags(to)
    .option('--executor <NAME>', 'where ranks are mapped: local (threads here, the default) or slurm')
    .option('--partition <NAME>', 'of slurm: the partition; all else by sbatch’s own variables, such as SBATCH_ACCOUNT')
    .option('--ranks-per-task <N>', 'of slurm: ranks that a task of the array maps (1)')
    .option('--out <DIR>', 'of slurm: keep the summaries in this folder, which all nodes see');
}

export function addMapFlags(to: Command): Command {
  return to
    .optionsGroup('Of map:')
    .option('--out <DIR>', 'where the summaries go; what is there and fits is not made again')
    .addOption(new Option('--manifest <FILE>', 'of --executor slurm').hideHelp())
    .addOption(new Option('--task <N>', 'of --executor slurm').hideHelp());
}

export function addServeFlags(to: Command): Command {
  return to
    .optionsGroup('Of serve:')
    .option('--port <N>', 'the port to listen on (any that is free)')
    .option('--allow-host <NAME>', 'another name by which a browser reaches it, as behind a proxy', several);
}

export function addDemoFlags(to: Command): Command {
  return to
    .optionsGroup('Of demo:')
    .option('--program <NAME>', 'another simulated job; --program list names them')
    .option('--out <FILE>', 'also write its trace (.gz: compressed)')
    .option('--ranks <N>', 'a job of N ranks; --out is then a folder, and gets a trace a rank');
}
