// node scripts/run-ts.mjs scripts/print-accuracy.ts: writes the tables of docs/accuracy.md, one row a public trace.
// The traces lie beside the repository (../shared/traces), or where LONGPOLE_TRACES says.
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CriticalPathResult } from '../src/analyses/critical-path/result.ts';
import { formatCount, formatDur, formatShare } from '../src/base/format.ts';
import { openSession } from '../src/session/session.ts';

const TRACES = process.env['LONGPOLE_TRACES'] ?? join(process.cwd(), '../shared/traces');
const PAGE = join(process.cwd(), 'docs/accuracy.md');

type Answer =
  | { readonly file: string; readonly path: CriticalPathResult }
  | { readonly file: string; readonly reason: string };

type Row = readonly string[];

interface Table {
  readonly head: Row;
  readonly rowOf: (file: string, path: CriticalPathResult) => Row;
}

const PATHS: Table = {
  head: ['trace', 'window', 'wall', 'unexplained', 'of which', 'replay error'],
  rowOf: (file, { window, path, replay }) => [
    file,
    window.label.replaceAll('|', '\\|'),
    formatDur(window.wallNs),
    formatShare(unexplainedOf(path.segments) / window.wallNs),
    causesOf(path.segments, window.wallNs),
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
  ],
  rowOf: (file, { coverage: { syncRows, waits } }) => [
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
    ].map(formatCount),
  ],
};

type Segments = CriticalPathResult['path']['segments'];

function unexplainedOf(segments: Segments): number {
  return segments.reduce((sum, { kind, startNs, endNs }) => (kind === 'unexplained' ? sum + endNs - startNs : sum), 0);
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

/** One file at a time: a trace and its graph are gone before the next is read. */
async function answerFor(file: string): Promise<Answer> {
  const opened = await openSession(join(TRACES, file), {});
  if (!opened.ok) return { file, reason: opened.error.message };
  const outcome = opened.value.run('critical-path');
  return outcome.status === 'ok' ? { file, path: outcome.result } : { file, reason: outcome.reason };
}

function tableOf({ head, rowOf }: Table, answers: readonly Answer[]): string {
  const rows = answers.flatMap((answer) => ('path' in answer ? [rowOf(answer.file, answer.path)] : []));
  return markdown(head, rows, head.map((_, column) => (rows.every((row) => /^[\d,.]*( (of|ns|µs|ms|s|%)\b.*|%)?$/.test(row[column] ?? '')) ? '--:' : '---')));
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
writeFileSync(PAGE, page);
