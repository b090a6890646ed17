import { formatDur, formatPlural, formatShare } from '../../base/format.ts';
import { shortKernelNames } from '../../base/kernel-name.ts';
import type { RenderOptions } from '../contract.ts';
import type { BreakdownRow } from '../critical-path/result.ts';
import type { InfoResult } from '../info/result.ts';
import { answerSections } from './answer-sections.ts';
import type { ReportCell, ReportDocument, ReportSection, ReportTable } from './document.ts';
import { rankTexts, trustText, verdictText } from './render-text.ts';
import type { ReportName, ReportPart, ReportResult } from './result.ts';
import { KIND_WORDS, nextOf } from './words.ts';

type DocumentOptions = Pick<RenderOptions, 'fullNames'>;

/** Parts of the path that come with advice. */
const ADVISED = 3;

/** The report as a document, for Markdown and for a page. */
export function documentOf(result: ReportResult, { fullNames }: DocumentOptions): ReportDocument {
  const { info, criticalPath } = result;
  const options: RenderOptions = { limit: Infinity, fullNames, style: (_, text) => text };
  return {
    ...headOf(info),
    verdict: verdictText(result, options),
    sections: [
      pathSection(result),
      partsSection(result, options),
      ...windowsSection(result),
      ...answerSections(result.answers, { fullNames, commandOf: (command) => commandOf(command, info) }),
    ],
    notes: [trustText(result), ...criticalPath.notes],
  };
}

/** What can be said where the path has no answer. */
export function healthDocument(info: InfoResult, reason: string): ReportDocument {
  return {
    ...headOf(info),
    verdict: `No answer: ${reason}.`,
    sections: [],
    notes: info.ranks.flatMap(({ notes }) => notes),
  };
}

function headOf({ ranks }: InfoResult): Pick<ReportDocument, 'title' | 'about'> {
  return {
    title: ranks.map(({ file }) => file).join(', '),
    about: ranks.map((rank) => rankTexts(rank).join('; ')),
  };
}

function pathSection({ info, verdict }: ReportResult): ReportSection {
  const rows = verdict.breakdown.filter(({ totalNs }) => totalNs > 0);
  return {
    id: 'path',
    heading: 'What the path is made of',
    paragraphs: [
      `From the end of ${verdict.label} back through whatever held each event up: ${formatDur(verdict.wallNs)}, of which each part is here.`,
    ],
    chart: {
      kind: 'bars',
      unit: 'ns',
      parts: rows.map(({ kind }) => KIND_WORDS[kind].noun),
      rows: [{ label: 'path', values: rows.map(({ totalNs }) => totalNs) }],
    },
    table: {
      columns: [
        { name: 'part', unit: 'text' },
        { name: 'time', unit: 'ns' },
        { name: 'share', unit: 'share' },
        { name: 'segments', unit: 'count' },
      ],
      rows: rows.map(({ kind, totalNs, share, segments }) => [KIND_WORDS[kind].noun, totalNs, share, segments]),
    },
    command: commandOf('critical-path', info),
  };
}

function partsSection({ info, verdict: { parts } }: ReportResult, options: RenderOptions): ReportSection {
  return {
    id: 'largest-parts',
    heading: 'Where to look first',
    paragraphs: parts
      .slice(0, ADVISED)
      .map((part) => `${KIND_WORDS[part.kind].noun}, ${formatShare(part.share)}: ${nextOf(part)}`),
    table: namesTable(parts, options),
    command: commandOf('critical-path', info, '--slack'),
  };
}

function namesTable(parts: ReportResult['verdict']['parts'], { fullNames }: RenderOptions): ReportTable {
  return {
    columns: [
      { name: 'part', unit: 'text' },
      { name: 'name', unit: 'name' },
      { name: 'time', unit: 'ns' },
      { name: 'share', unit: 'share' },
      { name: 'segments', unit: 'count' },
      { name: 'won at half its time', unit: 'ns' },
      { name: 'longest', unit: 'text' },
    ],
    rows: parts.flatMap((part) => {
      const short = fullNames ? undefined : shortKernelNames(part.names.map(({ name }) => name));
      return part.names.map((each): ReportCell[] => [
        KIND_WORDS[part.kind].noun,
        nameCell(part.kind, each, short?.get(each.name)),
        each.totalNs,
        each.share,
        each.segments,
        each.win?.halfNs,
        `e-${each.longest.event}`,
      ]);
    }),
  };
}

/** Time that no op takes is named by the op that it comes before. */
const BEFORE_AN_OP: ReadonlySet<string> = new Set(['host-gap', 'launch', 'stream-gap', 'unexplained']);

function nameCell(kind: ReportPart['kind'], { name, python }: ReportName, short = name): ReportCell {
  const code = { code: short };
  if (!BEFORE_AN_OP.has(kind)) return [code];
  return kind === 'host-gap' && python !== undefined ? [{ code: python }, ', before ', code] : ['before ', code];
}

function windowsSection({ info, criticalPath: { windows }, verdict }: ReportResult): ReportSection[] {
  if (windows.length < 2) return [];
  const kinds = kindsOf(windows.flatMap(({ breakdown }) => breakdown));
  const timeOf = (breakdown: readonly BreakdownRow[], kind: BreakdownRow['kind']): number =>
    breakdown.find((row) => row.kind === kind)?.totalNs ?? 0;
  return [
    {
      id: 'windows',
      heading: verdict.unit === 'step' ? 'The steps' : 'The windows',
      paragraphs: [`${formatPlural(windows.length, 'window')}, in the order of time.`],
      chart: {
        kind: 'bars',
        unit: 'ns',
        parts: kinds.map((kind) => KIND_WORDS[kind].noun),
        rows: windows.map(({ label, breakdown }) => ({ label, values: kinds.map((kind) => timeOf(breakdown, kind)) })),
      },
      table: {
        columns: [
          { name: 'window', unit: 'name' },
          { name: 'start', unit: 'ns' },
          { name: 'time', unit: 'ns' },
          { name: 'largest part', unit: 'text' },
          { name: 'its share', unit: 'share' },
        ],
        rows: windows.map(({ label, startNs, wallNs, breakdown }): ReportCell[] => {
          const largest = breakdown.toSorted((a, b) => b.totalNs - a.totalNs).at(0);
          return [label, startNs, wallNs, largest && KIND_WORDS[largest.kind].noun, largest?.share];
        }),
      },
      command: commandOf('steps', info),
    },
  ];
}

/** The largest first. */
function kindsOf(rows: readonly BreakdownRow[]): BreakdownRow['kind'][] {
  const sums = new Map<BreakdownRow['kind'], number>();
  for (const { kind, totalNs } of rows) sums.set(kind, (sums.get(kind) ?? 0) + totalNs);
  return [...sums].sort(([, a], [, b]) => b - a).map(([kind]) => kind);
}

/** As one would type it in a shell. */
function commandOf(command: string, { ranks }: InfoResult, flags = ''): string {
  const file = ranks[0]?.file ?? '';
  const path = file === 'standard input' ? '-' : file;
  const safe = /^[\w.,:=@%+/-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
  return `longpole ${command} ${safe}${flags === '' ? '' : ` ${flags}`}`;
}
