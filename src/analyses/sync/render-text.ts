import {
  escapeText,
  fitText,
  formatCount,
  formatDur,
  formatPlural,
  formatRows,
  textWidth,
  wrapText,
} from '../../base/format.ts';
import { shortKernelNames } from '../../base/kernel-name.ts';
import type { RenderOptions } from '../contract.ts';
import type { EventReference } from '../reference.ts';
import type { SourceReference, SyncEdge, SyncRecord, SyncResult } from './result.ts';

const WIDTH = 100;

export function renderSync(result: SyncResult, options: RenderOptions): string {
  const cell = cellsOf(result, options);
  const lines = [
    ...recordLines(result.records, cell, options),
    ...edgeLines(result.edges, cell, options),
    wrapText(coverageText(result), WIDTH, 2),
    ...result.notes.map((note) => wrapText(`note: ${escapeText(note)}`, WIDTH, 2)),
  ];
  return `${lines.join('\n')}\n`;
}

const widthOf = (fullNames: boolean): number => (fullNames ? Infinity : WIDTH - 2);

/** An event as a cell of a table, in at most so many columns where it can: its name gives way, its handle and its lane do not. */
type Cell = (event: SourceReference | EventReference, room: number) => string;

/** `e-24 gemm s-0.20`: handle, name, lane. */
function cellsOf({ records, edges }: SyncResult, { fullNames }: RenderOptions): Cell {
  const events = [...records.flatMap(({ sources }) => sources), ...edges.flatMap(({ source, sink }) => [source, sink])];
  const names = events.flatMap((event) => (event === undefined ? [] : [event.name]));
  const short = fullNames ? undefined : shortKernelNames(names);
  return (event, room) => {
    const handle = `e-${event.event}`;
    const lane = laneText(event.lane) + ('via' in event && event.via !== undefined ? ` via ${event.via}` : '');
    const name = escapeText(short?.get(event.name) ?? event.name);
    return `${handle} ${fitText(name, Math.max(room - textWidth(handle) - textWidth(lane) - 2, 1))} ${lane}`;
  };
}

/** Of a thread with long ids only its own: its process is nearly always the same. */
function laneText(lane: string): string {
  const isLong = lane.length > 9 && lane.startsWith('t-');
  return fitText(escapeText(isLong ? `t-…${lane.slice(lane.lastIndexOf('.') + 1)}` : lane), 20);
}

/** What the other columns leave of a line. */
function roomBeside(rows: readonly (readonly string[])[], columns: number): number {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, textWidth(cell));
  }
  return widths.reduce((room, width) => room - width, WIDTH - 2 - 2 * (columns - 1));
}

function recordLines(records: readonly SyncRecord[], cell: Cell, { limit, style, fullNames }: RenderOptions): string[] {
  const count = (status: SyncRecord['status']): string =>
    formatCount(records.filter((record) => record.status === status).length);
  const parts = [
    `${count('resolved')} resolved`,
    `${count('empty')} empty`,
    `${count('unknown-stream')} of unknown stream`,
  ];
  const title = `${formatPlural(records.length, 'record')}: ${parts.join(', ')}`;
  if (records.length === 0) return ['no records'];
  const shown = records.slice(0, limit);
  const headOf = (record: SyncRecord): string[] => [String(record.correlation), streamText(record), record.status];
  const fixed = shown.map((record) => [...headOf(record), shortList(record.waiters)]);
  const room = fullNames ? Infinity : roomBeside([['record', 'stream', 'status', 'waited for by'], ...fixed], 5);
  const rows = shown.flatMap((record) => {
    const [first, ...more] = record.sources.map((source) => cell(source, room));
    const head = [...headOf(record), first ?? '', shortList(record.waiters)];
    return [head, ...more.slice(0, 3).map((source) => ['', '', '', source, '']), ...moreRow(more.length - 3)];
  });
  const titles = ['record', 'stream', 'status', 'source', 'waited for by'];
  const [head = '', ...table] = formatRows([titles, ...rows], '><<~<', widthOf(fullNames));
  const lines = [style('bold', title), style('dim', `  ${head}`), ...table.map((line) => `  ${line}`)];
  return [...lines, ...moreLine(records.length - shown.length, style), ''];
}

const moreRow = (count: number): string[][] => (count > 0 ? [['', '', '', `and ${formatCount(count)} more`, '']] : []);

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
function edgeLines(edges: readonly SyncEdge[], cell: Cell, { limit, style, fullNames }: RenderOptions): string[] {
  if (edges.length === 0) return ['no waits'];
  const binding = edges.filter(({ binds }) => binds).length;
  const title = `${formatPlural(edges.length, 'edge')}: ${formatCount(binding)} bound what came after`;
  const shown = edges.slice(0, limit);
  const heads = shown.map((edge) => [
    edge.kind,
    fitText(edge.fallback === undefined ? edge.status : `${edge.status} (${edge.fallback})`, fullNames ? Infinity : 20),
    edge.binds ? 'yes' : '',
    edge.record === undefined ? '' : String(edge.record),
    edge.wait === undefined ? '' : String(edge.wait),
  ]);
  const titles = ['kind', 'status', 'binds', 'record', 'wait', 'source', 'sink'];
  const room = fullNames ? Infinity : roomBeside([titles.slice(0, 5), ...heads], titles.length);
  const needed = (end: 'source' | 'sink'): number =>
    Math.max(...shown.map(({ [end]: event }) => (event === undefined ? 0 : textWidth(cell(event, Infinity)))));
  const half = Math.floor(room / 2);
  const sourceRoom = fullNames ? Infinity : Math.min(needed('source'), Math.max(half, room - needed('sink')));
  const rows = shown.map(({ source, sink }, at) => [
    ...(heads[at] ?? []),
    source === undefined ? '' : cell(source, sourceRoom),
    sink === undefined ? '' : cell(sink, fullNames ? Infinity : room - sourceRoom),
  ]);
  const [head = '', ...table] = formatRows([titles, ...rows], '<<<>>~~', widthOf(fullNames));
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
