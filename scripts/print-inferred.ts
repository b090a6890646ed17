// node scripts/run-ts.mjs scripts/print-inferred.ts [--check] [--verbose]: how often inferred waits are right, on simulated jobs of which
// every dependency is known. Writes the section of docs/accuracy.md between its markers; `--check` only says whether it is still true,
// `--verbose` also prints what was wrong and what was missed.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatCount } from '../src/base/format.ts';
import type { InferredRule } from '../src/graph/inferred-edge.ts';
import { PLAIN_KINETO } from '../src/sim/kineto-options.ts';
import { EVERYTHING, randomCase } from '../src/sim/random.ts';
import {
  type Hidden,
  type InferredScore,
  type ScoredTrace,
  noScore,
  scoreJob,
} from '../src/test-kit/inferred-truth.ts';
import { readyJobs } from './print-inferred/jobs.ts';

const PAGE = join(process.cwd(), 'docs/accuracy.md');
const [BEGIN, END] = ['<!-- inferred -->', '<!-- /inferred -->'];
const RULES = ['wait-call', 'c10d', 'end-start'] as const satisfies readonly InferredRule[];
const RANDOM_PROGRAMS = 400;
/** Rules were made on smaller seeds. */
const FIRST_SEED = 50_001;
const LATE_SHARE = 0.1;

interface Level {
  readonly name: string;
  readonly hidden: readonly Hidden[];
}

const LEVELS: readonly Level[] = [
  { name: 'sync rows', hidden: [] },
  { name: '… and records', hidden: ['records'] },
  { name: '… and collective ops', hidden: ['records', 'collective ops'] },
  { name: 'sync rows, records, wait calls', hidden: ['records', 'wait calls'] },
  { name: '… and collective ops', hidden: ['records', 'wait calls', 'collective ops'] },
];

interface Kind {
  readonly name: string;
  readonly traces: (hidden: readonly Hidden[]) => Iterable<ScoredTrace>;
  /** Late ops are not where the truth put them, so that there is nothing to be found. */
  readonly hasRecall: boolean;
}

const jobs = readyJobs();

function* readyTraces(more: Omit<ScoredTrace, 'job' | 'ranks'>): Iterable<ScoredTrace> {
  for (const made of jobs.values()) for (const job of made) yield { job, ranks: 2, ...more };
}

function* randomTraces(hidden: readonly Hidden[]): Iterable<ScoredTrace> {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + RANDOM_PROGRAMS; seed++) {
    const { job, kineto } = randomCase(seed, { ...EVERYTHING, loss: false, size: 150 });
    yield { job, kineto, hidden };
  }
}

const KINDS: readonly Kind[] = [
  { name: 'ready', traces: (hidden) => readyTraces({ kineto: PLAIN_KINETO, hidden }), hasRecall: true },
  {
    name: 'ready, whole µs',
    traces: (hidden) => readyTraces({ kineto: { ...PLAIN_KINETO, resolution: 'us' }, hidden }),
    hasRecall: true,
  },
  { name: 'random', traces: randomTraces, hasRecall: true },
  {
    name: 'ready, some ops late',
    traces: (hidden) => readyTraces({ kineto: PLAIN_KINETO, hidden, lateShare: LATE_SHARE }),
    hasRecall: false,
  },
];

const NONE = '—';
const share = (part: number, whole: number): string => (whole === 0 ? NONE : (part / whole).toFixed(3));

function scoreOf(traces: Iterable<ScoredTrace>): InferredScore {
  const score = noScore();
  for (const trace of traces) scoreJob(trace, score);
  if (process.argv.includes('--verbose')) {
    for (const line of score.wrong) console.error(`wrong: ${line}`);
    for (const line of score.missed) console.error(`missed: ${line}`);
  }
  return score;
}

const sumOf = ({ edges }: InferredScore, of: 'made' | 'right'): number =>
  RULES.reduce((sum, rule) => sum + edges[rule][of], 0);

function ruleCell({ edges, foundBy, bound }: InferredScore, rule: InferredRule, hasRecall: boolean): string {
  const { made, right } = edges[rule];
  if (made === 0) return '';
  const recall = hasRecall ? ` / ${share(foundBy[rule], bound)}` : '';
  return `${formatCount(made)}: ${share(right, made)}${recall}`;
}

function levelRows({ name, hidden }: Level): string[][] {
  return KINDS.map((kind) => {
    const score = scoreOf(kind.traces(hidden));
    console.error(`${name}: ${kind.name}`);
    return [
      name,
      kind.name,
      ...RULES.map((rule) => ruleCell(score, rule, kind.hasRecall)),
      share(sumOf(score, 'right'), sumOf(score, 'made')),
      kind.hasRecall ? formatCount(score.bound) : '',
      kind.hasRecall ? share(score.found, score.bound) : '',
    ];
  });
}

function programRows(): string[][] {
  return [...jobs].map(([name, made]) => {
    const cells = LEVELS.flatMap(({ hidden }) => {
      const score = scoreOf(made.map((job) => ({ job, kineto: PLAIN_KINETO, hidden, ranks: 2 })));
      return `${share(sumOf(score, 'right'), sumOf(score, 'made'))} / ${share(score.found, score.bound)}`;
    });
    return [name, ...cells];
  });
}

function markdown(head: readonly string[], rows: readonly (readonly string[])[], texts: number): string {
  const rule = head.map((_, column) => (column < texts ? '---' : '--:'));
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function section(): string {
  const rows = LEVELS.flatMap(levelRows);
  const rules = RULES.map((rule) => `\`${rule}\``);
  const levels = markdown(['without', 'jobs', ...rules, 'precision', 'bound', 'recall'], rows, 2);
  const heads = ['sync rows', '… records', '… collective ops', 'and wait calls', '… collective ops, too'];
  const programs = markdown(['program', ...heads], programRows(), 1);
  return `## Inferred waits

How often the guesses of [critical-path.md](critical-path.md#guesses) are right can be told of simulated jobs only: there every
dependency is known. \`node scripts/run-ts.mjs scripts/print-inferred.ts\` writes this section; \`--check\` says whether it is still true.
Each job is traced **without** its sync rows; then also without its records (\`cuda_event\` rows and \`cudaEventRecord\` calls), without
\`record_param_comms\`, without \`cudaStreamWaitEvent\` calls.

- **precision**: of the inferred edges, the share that is true: the op that the edge leads from is one whose end the start of the
  other had to await, by a wait between streams. An earlier op of the same stream does not count, a later one neither, though it may have
  ended in the same µs; of a graph launch, the node that ended last does.
- **bound**: the ops of which such a wait bound the start, so late that no other constraint explains it: the gap behind the latest of these
  is beyond the limit of [unexplained](critical-path.md#unexplained). **recall** is the share of them that has an inferred edge from
  just the op that bound.
- A cell of a rule holds its edges, their precision, and the recall that it would have alone. The last three columns are of all
  rules together, as they are on by default. \`end-start\` works only where there are no wait calls.
- **ready**: the programs of \`src/sim/programs\`, with and without jitter, three seeds, two ranks each. **whole µs**: the same as old profilers
  write them. **random**: ${RANDOM_PROGRAMS} programs that mix everything: waits from any thread on any stream, several devices, graphs, races.
  They have no steps that repeat, so \`end-start\` finds nothing. **some ops late**: the ready ones, of whose longer kernels ${LATE_SHARE * 100} % begin
  20 µs and up to half their length later than anything in the job holds them, as ops do that must share the device: just after a
  kernel of another stream ended, where one does.

${levels}

By program, precision / recall:

${programs}

What is missed most: with a slow network and nothing that names a collective, the communication streams wait before nearly every op, so that
their usual gap is learned as long and such waits pass as \`stream-gap\`. And \`end-start\` keeps silent where ops of two streams end together.

What these numbers do not say: the simulator knows no contention but the planted one. Where an op really begins *because* another stream's op
ended and made room, no rule can tell that from a wait. A wait call must then stand before it for \`wait-call\`, or it must be so step
after step for \`end-start\`; and either says that it is a guess. On the public traces, without simulated truth: the first table of this page
shows what is left unexplained; with the sync rows of \`sync/multi_stream.json.gz\` hidden nothing wrong is inferred, and of
\`sync/alexnet.json.gz\` just the one edge that its path needs.`;
}

function between(page: string, text: string): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin === -1 || end < begin) throw new Error(`${PAGE} lacks the markers ${BEGIN} and ${END}`);
  return `${page.slice(0, begin)}${BEGIN}\n\n${text}\n\n${page.slice(end)}`;
}

const text = section();
// Read late: the other sections are written by other programs.
const page = readFileSync(PAGE, 'utf8');
if (!process.argv.includes('--check')) writeFileSync(PAGE, between(page, text));
else if (between(page, text) !== page) {
  console.error(`${PAGE} is not what the simulation says now: run this without --check`);
  process.exit(1);
}
