// node scripts/run-ts.mjs scripts/print-hold-out.ts [--write | --check]: how well steps of one run foretell each other, every pair of
// like steps of each public trace (../shared/traces, or where LONGPOLE_TRACES says), and of simulated jobs whose steps differ by planted
// changes. Prints the section of docs/accuracy.md between its markers; `--write` puts it there.
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatCount, formatDur, formatShare } from '../src/base/format.ts';
import { type Graph, buildGraph } from '../src/graph/graph.ts';
import { type HoldOutPair, UNTESTED_SHARE, holdOut } from '../src/graph/hold-out.ts';
import { termsOfWindows } from '../src/graph/instants.ts';
import { findWindows } from '../src/graph/windows.ts';
import { openTrace } from '../src/session/open-node.ts';
import type { Trace } from '../src/trace/trace.ts';
import { plantedTraces } from './print-hold-out/planted.ts';

const TRACES = process.env['LONGPOLE_TRACES'] ?? join(process.cwd(), '../shared/traces');
const PAGE = join(process.cwd(), 'docs/accuracy.md');
const [BEGIN, END] = ['<!-- hold-out -->', '<!-- /hold-out -->'];

interface Tested {
  readonly name: string;
  readonly graph: Graph;
  readonly pairs: readonly HoldOutPair[];
}

function test(name: string, trace: Trace): Tested {
  const graph = buildGraph(trace);
  return { name, graph, pairs: pairsOf(graph) };
}

/** Every pair of like steps of a trace; without steps, of like annotations of one name. */
function pairsOf(graph: Graph): HoldOutPair[] {
  const found = findWindows(graph, { kind: 'steps', first: 0, last: Infinity });
  const terms = found.ok ? termsOfWindows(graph, found.windows) : undefined;
  if (!found.ok || terms === undefined) return [];
  const whole = found.windows.map((window, i) => ({ window, terms: terms[i] })).filter(({ window }) => window.complete);
  return holdOut(
    graph,
    whole.map(({ window }) => window),
    whole.flatMap((each) => each.terms ?? []),
  );
}

const medianOf = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
};

const isUntested = ({ copied }: HoldOutPair): boolean => copied > UNTESTED_SHARE;
const isTelling = (pair: HoldOutPair): boolean => pair.null > 0.01;
const isBetter = (pair: HoldOutPair): boolean => pair.error <= pair.null;

function summaryTable(tested: readonly Tested[]): string[] {
  const rows = tested.map(({ name, pairs }) => {
    const telling = pairs.filter(isTelling);
    const untested = pairs.filter(isUntested).length;
    return [
      name,
      formatCount(pairs.length),
      formatShare(medianOf(pairs.map(({ error }) => error))),
      formatShare(medianOf(pairs.map((pair) => pair.null))),
      formatShare(medianOf(pairs.map(({ copied }) => copied))),
      formatShare(medianOf(pairs.flatMap(({ net }) => net ?? []))),
      formatShare(medianOf(pairs.map(({ deviceOnlyError }) => deviceOnlyError))),
      `${telling.filter(isBetter).length} of ${telling.length}`,
      untested === 0 ? '' : `${untested} of ${pairs.length}`,
    ];
  });
  const head = ['trace', 'pairs', 'error', 'null', 'copied', 'net', 'device only', 'error ≤ null > 1 %', '`untested`'];
  return table(head, rows);
}

function pairTable(tested: readonly Tested[]): string[] {
  const head = [
    'trace',
    'from',
    'to',
    'forecast',
    'measured',
    'error',
    'null',
    'copied',
    'net',
    'device only',
    'verdict',
  ];
  const rows = tested.flatMap(({ name, pairs }) =>
    pairs.map((pair) => [
      name,
      pair.from,
      pair.to,
      formatDur(pair.forecastNs),
      formatDur(pair.measuredNs),
      formatShare(pair.error),
      formatShare(pair.null),
      formatShare(pair.copied),
      pair.net === undefined ? '' : formatShare(pair.net),
      formatShare(pair.deviceOnlyError),
      isUntested(pair) ? '`untested`' : '',
    ]),
  );
  return table(head, rows);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const rule = head.map((title, i) =>
    i === 0 || title === 'from' || title === 'to' || title === 'verdict' ? '---' : '--:',
  );
  return [line(head), line(rule), ...rows.map(line)];
}

function totalText(tested: readonly Tested[]): string {
  const pairs = tested.flatMap((each) => each.pairs);
  const telling = pairs.filter(isTelling);
  const better = telling.filter(isBetter).length;
  const fresh = telling.filter((pair) => !isUntested(pair));
  const freshBetter = fresh.filter(isBetter).length;
  return (
    `Error ≤ null on ${better} of ${telling.length} pairs with null > 1 % (${formatShare(better / telling.length)}); of those that are not ` +
    `\`untested\`, on ${freshBetter} of ${fresh.length}${fresh.length === 0 ? '' : ` (${formatShare(freshBetter / fresh.length)})`}.`
  );
}

async function realTraces(): Promise<Tested[]> {
  if (!existsSync(TRACES)) return [];
  const files = readdirSync(TRACES, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.json(\.gz)?$/.test(file) && !/^(expected-hta|memory)\/|\.et\.json/.test(file))
    .sort();
  const tested: Tested[] = [];
  for (const file of files) {
    const read = await openTrace(join(TRACES, file), { file });
    if (!read.ok) continue;
    const each = test(file, read.value);
    if (each.pairs.length > 0) tested.push(each);
  }
  return tested;
}

function simulated(): Tested[] {
  return plantedTraces().map(({ name, trace }) => test(name, trace));
}

const real = await realTraces();
const planted = simulated();
const section = [
  BEGIN,
  '',
  totalText(real),
  '',
  ...summaryTable(real),
  '',
  '<details><summary>Every pair</summary>',
  '',
  ...pairTable(real),
  '',
  '</details>',
  '',
  'Simulated jobs whose steps differ by planted changes of 1 to 30 %:',
  '',
  totalText(planted),
  '',
  ...summaryTable(planted),
  '',
  END,
].join('\n');

const page = readFileSync(PAGE, 'utf8');
const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
const written = begin === -1 || end === -1 ? undefined : page.slice(0, begin) + section + page.slice(end + END.length);
if (process.argv.includes('--write') || process.argv.includes('--check')) {
  if (written === undefined) throw new Error(`docs/accuracy.md has no ${BEGIN} … ${END}`);
  if (process.argv.includes('--write')) writeFileSync(PAGE, written);
  else if (written !== page) {
    process.stderr.write(
      'docs/accuracy.md: the hold-out is not what it says; run: node scripts/run-ts.mjs scripts/print-hold-out.ts --write\n',
    );
    process.exitCode = 1;
  }
} else process.stdout.write(`${section}\n`);
