import { escapeText, formatCount, formatDur, formatPlural, formatRows, wrapText } from '../../base/format.ts';
import { shortKernelNames } from '../../base/kernel-name.ts';
import type { RenderOptions } from '../contract.ts';
import type { EventReference } from '../reference.ts';
import type { SyncEdge, SyncRecord, SyncResult } from './result.ts';

const WIDTH = 100;

export function renderSync(result: SyncResult, options: RenderOptions): string {
  const name = nameWith(result, options);
  const lines = [
    ...recordLines(result.records, name, options),
    ...edgeLines(result.edges, name, options),
    wrapText(coverageText(result), WIDTH, 2),
    ...result.notes.map((note) => wrapText(`note: ${escapeText(note)}`, WIDTH, 2)),
  ];
  return `${lines.join('\n')}\n`;
}

const widthOf = (fullNames: boolean): number => (fullNames ? Infinity : WIDTH - 2);

type Name = (event: EventReference) => string;

/** `e-24 gemm s-0.20`: handle, name, lane. */
function nameWith({ records, edges }: SyncResult, { fullNames }: RenderOptions): Name {
  const events = [...records.flatMap(({ sources }) => sources), ...edges.flatMap(({ source, sink }) => [source, sink])];
  const names = events.flatMap((event) => (event === undefined ? [] : [event.name]));
  const short = fullNames ? undefined : shortKernelNames(names);
  return ({ event, name, lane }) => `e-${event} ${escapeText(short?.get(name) ?? name)} ${escapeText(lane)}`;
}

function recordLines(records: readonly SyncRecord[], name: Name, { limit, style, fullNames }: RenderOptions): string[] {
  const count = (status: SyncRecord['status']): number => records.filter((record) => record.status === status).length;
  const parts = [
    `${count('resolved')} resolved`,
    `${count('empty')} empty`,
    `${count('unknown-stream')} of unknown stream`,
  ];
  const title = `${formatPlural(records.length, 'record')}: ${parts.join(', ')}`;
  if (records.length === 0) return ['no records'];
  const shown = records.slice(0, limit);
  const rows = shown.flatMap((record) => {
    const waiters = shortList(record.waiters);
    const [first, ...more] = record.sources.map((source) => name(source) + viaText(source.via));
    const head = [String(record.correlation), streamText(record), record.status, first ?? '', waiters];
    return [head, ...more.slice(0, 3).map((source) => ['', '', '', source, '']), ...moreRow(more.length - 3)];
  });
  const titles = ['record', 'stream', 'status', 'source', 'waited for by'];
  const [head = '', ...table] = formatRows([titles, ...rows], '><<~<', widthOf(fullNames));
  const lines = [style('bold', title), style('dim', `  ${head}`), ...table.map((line) => `  ${line}`)];
  return [...lines, ...moreLine(records.length - shown.length, style), ''];
}

const moreRow = (count: number): string[][] => (count > 0 ? [['', '', '', `and ${formatCount(count)} more`, '']] : []);
const viaText = (via: number | undefined): string => (via === undefined ? '' : ` via ${via}`);

function streamText({ device, stream }: SyncRecord): string {
  return stream === undefined ? '?' : `s-${device ?? '?'}.${stream}`;
}

function shortList(correlations: readonly number[]): string {
  const shown = correlations.slice(0, 2).join(', ');
  return correlations.length > 2 ? `${shown} +${formatCount(correlations.length - 2)}` : shown;
}

function moreLine(count: number, style: RenderOptions['style']): string[] {
  return count > 0 ? [style('dim', `  ${formatCount(count)} more: --limit`)] : [];
}

/** What is waited for counts first; a wait that came to nothing says why. */
function edgeLines(edges: readonly SyncEdge[], name: Name, { limit, style, fullNames }: RenderOptions): string[] {
  if (edges.length === 0) return ['no waits'];
  const binding = edges.filter(({ binds }) => binds).length;
  const title = `${formatPlural(edges.length, 'edge')}: ${formatCount(binding)} bound what came after`;
  const shown = edges.slice(0, limit);
  const rows = shown.map((edge) => [
    edge.kind,
    edge.fallback === undefined ? edge.status : `${edge.status} (${edge.fallback})`,
    edge.binds ? 'yes' : '',
    edge.record === undefined ? '' : String(edge.record),
    edge.wait === undefined ? '' : String(edge.wait),
    edge.source === undefined ? '' : name(edge.source) + viaText(edge.source.via),
    edge.sink === undefined ? '' : name(edge.sink),
  ]);
  const titles = ['kind', 'status', 'binds', 'record', 'wait', 'source', 'sink'];
  const [head = '', ...table] = formatRows([titles, ...rows], '<~<>>~~', widthOf(fullNames));
  const lines = [style('bold', title), style('dim', `  ${head}`), ...table.map((line) => `  ${line}`)];
  return [...lines, ...moreLine(edges.length - shown.length, style), ''];
}

function coverageText({ coverage }: SyncResult): string {
  const { waits, inferred, syncRows, inversions } = coverage;
  const parts = [
    [waits.resolved, 'resolved'],
    [waits.empty, 'on an empty stream'],
    [waits.sameStream, 'on their own stream'],
    [waits.noSink, 'without a later op'],
    [waits.future, 'for a later record'],
    [waits.unresolved, 'unresolved'],
    [waits.heuristic, 'by a rule'],
  ] as const;
  const split = parts.filter(([count]) => count > 0).map(([count, words]) => `${formatCount(count)} ${words}`);
  const guessed = inferred['wait-call'] + inferred.c10d + inferred['end-start'];
  return [
    `coverage: ${formatPlural(waits.total, 'wait row')}${split.length > 0 ? ` (${split.join(', ')})` : ''}`,
    `${formatPlural(waits.callsWithoutRow, 'wait call')} without a row`,
    ...(guessed > 0 ? [`${formatPlural(guessed, 'wait')} guessed`] : []),
    `${formatPlural(syncRows.total, 'synchronisation row')}`,
    `${formatPlural(inversions.count, 'clock inversion')}${inversions.count > 0 ? ` up to ${formatDur(inversions.maxNs)}` : ''}`,
  ].join('; ');
}
