import type { EventReference } from '../analyses/reference.ts';
import type { RenderOptions } from '../analyses/contract.ts';
import {
  escapeText,
  fitText,
  formatBar,
  formatCount,
  formatDur,
  formatInstant,
  formatPlural,
  formatRows,
  formatShare,
  wrapText,
} from '../base/format.ts';
import { shortKernelNames } from '../base/kernel-name.ts';
import { legText, spanText } from './job-words.ts';
import type { JobPathAnswer } from './job-path-answer.ts';
import type { OpenSegment } from './job-path-open.ts';

const WIDTH = 100;
const BAR = 40;

interface Opened {
  readonly segments: readonly (Omit<OpenSegment, 'event'> & {
    readonly event?: EventReference | { readonly event: number };
  })[];
  readonly unopened: readonly number[];
}

/** The path across ranks: what it is made of, from rank to rank, and its longest segments. */
export function renderJobPath(answer: JobPathAnswer, opened: Opened, options: RenderOptions): string {
  const { breakdown, legs, notes } = answer;
  const { limit, style } = options;
  const scale = Math.max(...breakdown.map(({ share }) => share), 0.25);
  const kinds = breakdown.map(({ kind, totalNs, share }) => [
    kind,
    formatDur(totalNs),
    formatShare(share),
    formatBar(share / scale, BAR),
  ]);
  const shown = legs.slice(0, Math.max(limit, 1));
  const sections = [
    [style('bold', wrapText(`critical path across ranks, ${spanText(answer)}`, WIDTH, 2))],
    formatRows(kinds, '<>><').map((line) => `  ${line}`),
    [
      style('bold', `from rank to rank: ${formatPlural(legs.length, 'leg')}`),
      ...shown.map((leg) => `  ${wrapText(legText(leg), WIDTH - 2, 4)}`),
      ...(legs.length > shown.length
        ? [style('dim', `  ${formatCount(legs.length - shown.length)} more: --limit`)]
        : []),
    ],
    segmentLines(opened, options),
    notesOf(opened, notes).map((note) => wrapText(`note: ${escapeText(note)}`, WIDTH, 2)),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

const notesOf = ({ unopened }: Opened, notes: readonly string[]): string[] => [
  ...notes,
  ...(unopened.length === 0
    ? []
    : [
        `of ${formatPlural(unopened.length, 'rank')} on the path only the parts are known: --json and --rank show more`,
      ]),
];

/** The longest segments, in order of time. */
function segmentLines({ segments }: Opened, { limit, fullNames, style }: RenderOptions): string[] {
  const chosen = new Set(
    segments.toSorted((a, b) => b.endNs - b.startNs - (a.endNs - a.startNs)).slice(0, Math.max(limit, 1)),
  );
  const shown = segments.filter((segment) => chosen.has(segment));
  const names = shown.flatMap(({ event }) => (event !== undefined && 'name' in event ? [event.name] : []));
  const short = fullNames ? new Map<string, string>() : shortKernelNames(names);
  const rows = shown.map(({ rank, kind, startNs, endNs, event }) => [
    `r-${rank}`,
    formatInstant(startNs),
    formatDur(endNs - startNs),
    kind,
    event === undefined ? '' : `e-${event.event}`,
    event !== undefined && 'name' in event ? escapeText(short.get(event.name) ?? event.name) : '',
  ]);
  const [head = '', ...table] = formatRows([['rank', 'at', 'for', 'kind', 'event', ''], ...rows], '<>><<~', WIDTH - 2);
  return [
    style('bold', `the longest ${formatPlural(shown.length, 'segment')} of ${formatCount(segments.length)}`),
    style('dim', `  ${head}`),
    ...table.map((line) => `  ${fullNames ? line : fitText(line, WIDTH - 2)}`),
  ];
}
