import {
  escapeText,
  fitText,
  formatCount,
  formatDur,
  formatPlural,
  formatRows,
  formatShare,
  wrapText,
} from '../../base/format.ts';
import { shortKernelNames } from '../../base/kernel-name.ts';
import type { RenderOptions } from '../contract.ts';
import { joinSections } from '../text-tables.ts';
import { sequenceLines } from './render-sequences.ts';
import { treeLines } from './render-tree.ts';
import type { OpsBy, OpsResult, OpsRow, OpsSort } from './result.ts';

const WIDTH = 100;

const PLURAL: Readonly<Record<OpsBy, string>> = {
  op: 'ops and calls',
  shape: 'ops by input shapes',
  module: 'modules',
  python: 'Python functions',
  annotation: 'annotations',
};
const ORDER: Readonly<Record<OpsSort, string>> = {
  self: 'own time first',
  total: 'total time first',
  device: 'device time first',
  launches: 'most launches first',
};

export function renderOps(result: OpsResult, options: RenderOptions): string {
  const { window, notes } = result;
  const { style, fullNames } = options;
  const names = result.tree?.nodes.flatMap(({ name, kind }) => (kind === 'kernel' ? [name] : [])) ?? [];
  const kernels = [...names, ...(result.sequences?.flatMap((each) => each.kernels) ?? [])];
  const short = fullNames ? undefined : shortKernelNames(kernels);
  const nameOf = (name: string): string => escapeText(short?.get(name) ?? name);
  const sections = [
    [
      style('bold', fitText(`${titleOf(result)} ${escapeText(window.label)}: ${formatDur(window.wallNs)}`, WIDTH)),
      wrapText(totalsText(result), WIDTH, 2),
    ],
    result.tree === undefined && result.sequences === undefined ? rowLines(result, options) : [],
    result.tree === undefined ? [] : treeLines(result.tree, result, nameOf, options),
    result.sequences === undefined ? [] : sequenceLines(result.sequences, nameOf, options),
    notes.map((note) => wrapText(`note: ${escapeText(note)}`, WIDTH, 2)),
  ];
  return joinSections(sections);
}

function titleOf({ by, tree, sequences }: OpsResult): string {
  if (tree !== undefined) return tree.direction === 'top-down' ? 'tree of calls of' : 'tree of callers of';
  return sequences === undefined ? `${PLURAL[by]} of` : 'what ops launch in';
}

function totalsText({ hostNs, threads, launches, deviceNs, deviceSumNs }: OpsResult): string {
  const host = threads === 0 ? '' : `${formatDur(hostNs)} of host time on ${formatPlural(threads, 'thread')}; `;
  const overlap = deviceSumNs > deviceNs ? ` (${formatDur(deviceSumNs)} as a sum of runs that overlap)` : '';
  return `${host}${formatPlural(launches, 'launch', 'launches')}; ${formatDur(deviceNs)} of device work${overlap}`;
}

function rowLines({ rows, by, sort, hostNs }: OpsResult, { limit, style, fullNames }: RenderOptions): string[] {
  if (rows.length === 0) return [];
  const shown = rows.slice(0, limit);
  const hasBackward = rows.some(({ backwardDeviceSumNs, backwardHostNs }) => backwardDeviceSumNs + backwardHostNs > 0);
  const isByShape = by === 'shape';
  const columns: readonly (readonly [title: string, align: string, of: (row: OpsRow) => string])[] = [
    ['own', '>', ({ selfNs }) => formatDur(selfNs)],
    ...(isByShape
      ? []
      : [['share', '>', ({ selfShare }: OpsRow) => (hostNs > 0 ? formatShare(selfShare) : '')] as const]),
    ['total', '>', ({ totalNs }) => formatDur(totalNs)],
    ['device', '>', ({ deviceNs }) => (deviceNs > 0 ? formatDur(deviceNs) : '')],
    ...(hasBackward && !isByShape
      ? [['backward', '>', ({ backwardDeviceNs: ns }: OpsRow) => (ns > 0 ? formatDur(ns) : '')] as const]
      : []),
    ...(isByShape
      ? []
      : [['launches', '>', ({ launches }: OpsRow) => (launches > 0 ? formatCount(launches) : '')] as const]),
    ['', '>', ({ count }) => `${formatCount(count)}×`],
    ['name', '~', ({ name }) => escapeText(name)],
    ...(isByShape ? [['inputs', '~', shapeText] as const] : []),
    ['longest', '<', ({ longest }) => `e-${longest.event}`],
  ];
  const table = [columns.map(([title]) => title), ...shown.map((row) => columns.map(([, , of]) => of(row)))];
  const align = columns.map(([, side]) => side).join('');
  const [titleLine = '', ...lines] = formatRows(table, align, fullNames ? Infinity : WIDTH - 2);
  const more = rows.length - shown.length;
  return [
    style('dim', `  ${titleLine}`),
    ...lines.map((line) => `  ${line}`),
    ...(more > 0 ? [style('dim', `  ${formatCount(more)} more, ${ORDER[sort]}: --limit`)] : []),
    ...(shown.some(actsForOps)
      ? [style('dim', '  device work that a call launches inside of an op counts for the op')]
      : []),
  ];
}

/** A call whose launches have their device work elsewhere. */
const actsForOps = ({ kind, launches, deviceSumNs }: OpsRow): boolean =>
  kind === 'call' && launches > 0 && deviceSumNs === 0;

/** `[20,64] [64,10] float`: tensors with their types, each type once; where there are none, the types of the scalars. */
function shapeText({ kind, shapes, types }: OpsRow): string {
  if (shapes === undefined) return kind === 'call' ? '' : 'not recorded';
  const sizes = listOf(shapes);
  const kinds = types === undefined ? [] : listOf(types).map(String);
  const isTensor = (at: number): boolean => !SCALARS.test(kinds[at] ?? '') || size(sizes[at]) !== '[]';
  const tensors = sizes.flatMap((each, at) => (isTensor(at) ? [{ size: size(each), kind: kinds[at] ?? '' }] : []));
  const named = new Set(tensors.length > 0 ? tensors.map((each) => each.kind) : kinds);
  const words = [...tensors.map((each) => each.size), ...named].filter((word) => word !== '');
  return escapeText(words.join(' ').replaceAll('c10::', '')) || 'none';
}

/** Types of what is no tensor; an input that is absent has none. */
const SCALARS = /^(|Scalar|Int|Bool|Double|Device|None|.*List)$/;
const size = (dims: unknown): string => JSON.stringify(dims ?? []);

/** The list as the profiler wrote it: JSON, but where it was cut. */
function listOf(text: string): readonly unknown[] {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list : [text];
  } catch {
    return [text];
  }
}
