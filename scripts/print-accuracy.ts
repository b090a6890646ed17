// node scripts/run-ts.mjs scripts/print-accuracy.ts: writes the tables of docs/accuracy.md, one row a public trace.
// The traces lie beside the repository (../shared/traces), or where LONGPOLE_TRACES says.
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CriticalPathResult } from '../src/analyses/critical-path/result.ts';
import { ANALYSES } from '../src/analyses/registry.ts';
import { createSubject } from '../src/analyses/subject.ts';
import { formatCount, formatDur, formatShare } from '../src/base/format.ts';
import { kindCode } from '../src/graph/constraints.ts';
import type { Graph } from '../src/graph/graph.ts';
import { openTrace } from '../src/session/open-node.ts';

const TRACES = process.env['LONGPOLE_TRACES'] ?? join(process.cwd(), '../shared/traces');
const PAGE = join(process.cwd(), 'docs/accuracy.md');

type Answer =
  | { readonly file: string; readonly path: CriticalPathResult; readonly exact: number; readonly gaps: Gaps }
  | { readonly file: string; readonly reason: string };

/** Device ops that began long after all that is known to have held them, and by how much, in ns. */
interface Gaps {
  readonly ops: number;
  readonly excess: number;
}

type Row = readonly string[];

interface Table {
  readonly head: Row;
  /** `exact`: the share that is unexplained without inferred waits. */
  readonly rowOf: (file: string, path: CriticalPathResult, exact: number, gaps: Gaps) => Row;
}

const PATHS: Table = {
  head: [
    'trace',
    'window',
    'wall',
    'unexplained',
    'of which',
    'unexplained with `--exact`',
    'late ops',
    'late by',
    'replay error',
  ],
  rowOf: (file, { window, path, replay, coverage }, exact, gaps) => [
    file,
    window.label.replaceAll('|', '\\|'),
    formatDur(window.wallNs),
    formatShare(unexplainedOf(path, window.wallNs)),
    causesOf(path.segments, window.wallNs),
    formatShare(exact),
    `${formatCount(gaps.ops)} of ${formatCount(coverage.deviceOps.total)}`,
    gaps.ops === 0 ? '' : formatDur(gaps.excess),
    formatDur(replay.maxErrorNs),
  ],
};

const GRAPHS: Table = {
  head: [
    'trace',
    'launches linked',
    'device ops linked',
    'constraints',
    'inversions',
    'largest',
    'moments',
    'ambiguous',
    'order conflicts',
    'lane overlaps',
    'cut ops',
  ],
  rowOf: (file, { graph, coverage }) => [
    file,
    `${formatCount(coverage.launches.linked)} of ${formatCount(coverage.launches.total)}`,
    `${formatCount(coverage.deviceOps.linked)} of ${formatCount(coverage.deviceOps.total)}`,
    formatCount(Object.values(graph.constraints).reduce((sum, count) => sum + count, 0)),
    formatCount(coverage.inversions.count),
    coverage.inversions.count === 0 ? '' : formatDur(coverage.inversions.maxNs),
    formatCount(graph.moments),
    formatCount(coverage.ambiguous),
    formatCount(coverage.orderConflicts),
    formatCount(coverage.laneOverlaps),
    formatCount(coverage.cutOps),
  ],
};

const WAITS: Table = {
  head: [
    'trace',
    'sync rows',
    'wait rows',
    'resolved',
    'heuristic',
    'empty',
    'same stream',
    'no sink',
    'future',
    'unresolved',
    'wait calls without a row',
    'inferred: `wait-call`',
    '`c10d`',
    '`end-start`',
  ],
  rowOf: (file, { coverage: { syncRows, waits, inferred } }) => [
    file,
    ...[
      syncRows.total,
      waits.total,
      waits.resolved,
      waits.heuristic,
      waits.empty,
      waits.sameStream,
      waits.noSink,
      waits.future,
      waits.unresolved,
      waits.callsWithoutRow,
      inferred['wait-call'],
      inferred.c10d,
      inferred['end-start'],
    ].map(formatCount),
  ],
};

type Segments = CriticalPathResult['path']['segments'];

function unexplainedOf({ segments }: CriticalPathResult['path'], wallNs: number): number {
  let total = 0;
  for (const { kind, startNs, endNs } of segments) if (kind === 'unexplained') total += endNs - startNs;
  return total / wallNs;
}

function causesOf(segments: Segments, wallNs: number): string {
  const totals = new Map<string, number>();
  for (const { cause, startNs, endNs } of segments) {
    if (cause !== undefined) totals.set(cause, (totals.get(cause) ?? 0) + endNs - startNs);
  }
  return [...totals]
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .map(([cause, ns]) => `\`${cause}\` ${formatShare(ns / wallNs)}`)
    .join(', ');
}

const OVERLAP = kindCode('overlap');

/** The same measure as on a path: beyond ten times the typical lag and 10 µs; what passed inside a launch call is the host's. */
function gapsOf({ binding, constraints, typical, moments, device, host, time }: Graph): Gaps {
  let ops = 0;
  let excess = 0;
  for (let op = 0; op < device.length; op++) {
    const start = moments.startOfOp(op);
    const bound = binding[start];
    if (bound === -1 || constraints.kind[bound] === OVERLAP) continue;
    const from = constraints.from[bound];
    const inCall = moments.isHost(from) ? Math.min(host.end[moments.hostOp(from)], time[start]) - time[from] : 0;
    const late = time[start] - time[from] - Math.max(inCall, typical[bound]);
    const lag = late + typical[bound];
    if (lag <= Math.max(10 * typical[bound], 10_000)) continue;
    ops++;
    excess += late;
  }
  return { ops, excess };
}

/** One file at a time: a trace and its graph are gone before the next is read. */
async function answerFor(file: string): Promise<Answer> {
  const opened = await openTrace(join(TRACES, file));
  if (!opened.ok) return { file, reason: opened.error.message };
  const trace = opened.value;
  const { compute, defaults } = ANALYSES['critical-path'];
  const subject = createSubject(trace);
  const graph = subject.graph(defaults);
  const outcome = compute(subject, defaults);
  if (outcome.status !== 'ok') return { file, reason: outcome.reason };
  const withoutGuesses = compute(subject, { ...defaults, exact: true });
  if (withoutGuesses.status !== 'ok') throw new Error(`${file}: ${withoutGuesses.reason}`);
  const { path, window } = withoutGuesses.result;
  return { file, path: outcome.result, exact: unexplainedOf(path, window.wallNs), gaps: gapsOf(graph) };
}

function tableOf({ head, rowOf }: Table, answers: readonly Answer[]): string {
  const rows = answers.flatMap((answer) =>
    'path' in answer ? [rowOf(answer.file, answer.path, answer.exact, answer.gaps)] : [],
  );
  const isNumeric = (column: number): boolean =>
    rows.every((row) => /^(\d[\d,.]*( (of [\d,]+|ns|µs|ms|s|%))?|<.*%)?$/.test(row[column] ?? ''));
  return markdown(
    head,
    rows,
    head.map((_, column) => (isNumeric(column) ? '--:' : '---')),
  );
}

function markdown(head: Row, rows: readonly Row[], rule: Row): string {
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function refusalsOf(answers: readonly Answer[]): string {
  const rows = answers.flatMap((answer) => ('reason' in answer ? [[answer.file, answer.reason]] : []));
  return markdown(['file', 'why there is no answer'], rows, ['---', '---']);
}

/** Replaces what stands between `<!-- name -->` and `<!-- /name -->`. */
function between(page: string, name: string, text: string): string {
  const [begin, end] = [page.indexOf(`<!-- ${name} -->`), page.indexOf(`<!-- /${name} -->`)];
  if (begin === -1 || end < begin) throw new Error(`${PAGE} lacks the markers <!-- ${name} --> and <!-- /${name} -->`);
  return `${page.slice(0, begin)}<!-- ${name} -->\n\n${text}\n\n${page.slice(end)}`;
}

if (!existsSync(TRACES)) {
  console.error(`no public traces at ${TRACES}: set LONGPOLE_TRACES to their folder`);
  process.exit(2);
}
const files = readdirSync(TRACES, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.json(\.gz|\.zst)?$/.test(file) && !file.startsWith('expected-hta'))
  .map((file) => file.replaceAll('\\', '/'))
  .sort();
const answers: Answer[] = [];
for (const file of files) {
  answers.push(await answerFor(file));
  console.log(file);
}
let page = readFileSync(PAGE, 'utf8');
page = between(page, 'paths', tableOf(PATHS, answers));
page = between(page, 'graphs', tableOf(GRAPHS, answers));
page = between(page, 'waits', tableOf(WAITS, answers));
page = between(page, 'refusals', refusalsOf(answers));
if (process.argv.includes('--check')) {
  if (page !== readFileSync(PAGE, 'utf8')) {
    console.error(`${PAGE} is not what the traces say now: run this without --check`);
    process.exit(1);
  }
} else writeFileSync(PAGE, page);
