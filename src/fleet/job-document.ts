// A job's report as a document, for Markdown and for a page.
import type { ReportCell, ReportDocument, ReportSection, ReportTable } from '../analyses/report/document.ts';
import { bubbleTexts, hasGroups } from './bubble-words.ts';
import { expertTexts } from './expert-words.ts';
import {
  callsText,
  clocksText,
  groupsText,
  legText,
  reportHeadTexts,
  spanText,
  stragglerTexts,
  verdictText,
} from './job-words.ts';
import { formatDur } from '../base/format.ts';
import { heatSection } from './job-heat-section.ts';
import type { JobReport } from './job-report.ts';

const ALL = { limit: Infinity };

export function jobDocument(report: JobReport): ReportDocument {
  const { path, calls, clocks, stragglers, groups } = report;
  const [about = '', ...heads] = reportHeadTexts(report);
  return {
    title: titleOf(report),
    about: [about, ...heads],
    verdict: verdictText(report),
    sections: [
      ranksSection(report),
      heatSection(report),
      ...waitsSections(report),
      ...pathSections(report),
      section(
        'stragglers',
        'Who is slow',
        stragglers.status === 'ok' ? stragglerTexts(stragglers.result, ALL) : [without(stragglers.reason)],
      ),
      section('clocks', 'What was matched, and the clocks', [
        calls.status === 'ok' ? callsText(calls.result) : without(calls.reason),
        clocks.status === 'ok' ? clocksText(clocks.result) : without(clocks.reason),
      ]),
      section(
        'groups',
        'What process groups are for',
        groups.status === 'ok' ? groupsText(groups.result, ALL) : [without(groups.reason)],
      ),
      ...(hasGroups(report, 'pipeline') ? [bubblesSection(report)] : []),
      ...(hasGroups(report, 'expert') ? [expertsSection(report)] : []),
    ],
    notes: path.status === 'ok' ? path.result.notes : [],
  };
}

const without = (reason: string): string => `No answer: ${reason}.`;

const section = (id: string, heading: string, paragraphs: readonly string[]): ReportSection => ({
  id,
  heading,
  paragraphs,
});

/** The files, since the folder that they were in is not the report's to say. */
function titleOf({ ranks, mixed }: JobReport): string {
  const [first, last] = [ranks[0]?.file, ranks.at(-1)?.file];
  if (first === undefined || last === undefined) return 'a job without ranks';
  return ranks.length === 1 ? first : `${first} to ${last}, ${ranks.length} ${mixed.length > 0 ? 'files' : 'ranks'}`;
}

/** What is left of a call after its waits is surely the transfer only where all members are here. */
const UNSURE = 'transfer?: where ranks are not here, also the wait for one of them.';

function ranksSection({ ranks, waits, mixed }: JobReport): ReportSection {
  const byRank = new Map(waits.status === 'ok' ? waits.result.ranks.map((each) => [each.rank, each]) : []);
  const isUnsure = waits.status === 'ok' && waits.result.ranks.some(({ unknownNs }) => unknownNs > 0);
  const transfer = isUnsure ? 'transfer?' : 'transfer';
  const table: ReportTable = {
    columns: [
      { name: 'rank', unit: 'text' },
      { name: 'window', unit: 'ns' },
      { name: 'computes', unit: 'ns' },
      { name: 'exposed communication', unit: 'ns' },
      { name: 'idle', unit: 'ns' },
      { name: 'waits', unit: 'ns' },
      { name: transfer, unit: 'ns' },
      { name: 'came last', unit: 'count' },
      { name: 'file', unit: 'name' },
    ],
    rows: ranks.map((row): ReportCell[] => {
      const waited = byRank.get(row.rank);
      const times =
        row.medianNs === undefined ? [undefined, undefined, undefined] : [row.computationNs, row.exposedNs, row.idleNs];
      return [
        // Numbers that no file has, or that two have, are nobody's rank.
        mixed.length > 0 ? undefined : String(row.rank),
        row.medianNs,
        ...times,
        waited?.waitNs,
        waited === undefined ? undefined : waited.transferNs + waited.unknownNs,
        waited?.timesLast,
        row.noPath === undefined ? row.file : `${row.file}: ${row.noPath}`,
      ];
    }),
  };
  const isPicture = waits.status === 'ok' && waits.result.ranks.length <= 64;
  return {
    id: 'ranks',
    heading: 'The ranks',
    paragraphs: [
      'What each rank did by itself, and how long it waited for others in the calls that were matched.',
      ...(isUnsure ? [UNSURE] : []),
    ],
    ...(isPicture
      ? {
          chart: {
            kind: 'bars',
            unit: 'ns',
            parts: ['waits', transfer],
            rows: waits.result.ranks.map(({ rank, waitNs, transferNs, unknownNs }) => ({
              label: `rank ${rank}`,
              values: [waitNs, transferNs + unknownNs],
            })),
          },
        }
      : {}),
    table,
  };
}

function waitsSections({ waits }: JobReport): ReportSection[] {
  if (waits.status !== 'ok') return [section('waits', 'Who came last', [without(waits.reason)])];
  const { rows, ties } = waits.result;
  // Where ranks are not here, one of them may have come last of all.
  const others = waits.result.ranks.some(({ unknownNs }) => unknownNs > 0) ? 'all others that are here' : 'all others';
  const what = `Each call that was matched, and the rank that ${others} waited for.`;
  return [
    {
      id: 'waits',
      heading: 'Who came last',
      paragraphs: [
        ties === 0
          ? what
          : `${what} ${ties} are ties: the margin is within what the clocks tell, and nobody is to blame.`,
      ],
      table: {
        columns: [
          { name: 'call', unit: 'text' },
          { name: 'group', unit: 'name' },
          { name: 'arrived', unit: 'ns' },
          { name: 'last', unit: 'text' },
          { name: 'after the next by', unit: 'ns' },
          { name: 'clocks to ±', unit: 'ns' },
          { name: 'all waited', unit: 'ns' },
          { name: 'transfer', unit: 'ns' },
          { name: 'bus bandwidth', unit: 'gb-per-s' },
        ],
        rows: rows.map((row): ReportCell[] => [
          row.op,
          row.group,
          row.arrivedNs,
          lastOf(row.last, row.event, row.isTie),
          row.marginNs,
          row.uncertaintyNs,
          row.waitNs,
          row.isTransfer ? row.restNs : `${formatDur(row.restNs)}?`,
          row.busGBps,
        ]),
      },
    },
  ];
}

function lastOf(rank: number | undefined, event: number | undefined, isTie: boolean): ReportCell {
  if (rank === undefined) return undefined;
  const handle = event === undefined ? `r-${rank}` : `r-${rank}/e-${event}`;
  return isTie ? `${handle} (tie)` : handle;
}

function pathSections({ path }: JobReport): ReportSection[] {
  if (path.status !== 'ok') return [section('path', 'The path across ranks', [without(path.reason)])];
  const { breakdown, legs } = path.result;
  return [
    {
      id: 'path',
      heading: 'The path across ranks',
      paragraphs: [`${spanText(path.result)}, from rank to rank:`, ...legs.slice(0, 20).map(legText)],
      chart: {
        kind: 'bars',
        unit: 'ns',
        parts: breakdown.map(({ kind }) => kind),
        rows: [{ label: 'path', values: breakdown.map(({ totalNs }) => totalNs) }],
      },
      table: {
        columns: [
          { name: 'part', unit: 'text' },
          { name: 'time', unit: 'ns' },
          { name: 'share', unit: 'share' },
        ],
        rows: breakdown.map(({ kind, totalNs, share }) => [kind, totalNs, share]),
      },
    },
  ];
}

function bubblesSection({ bubbles }: JobReport): ReportSection {
  if (bubbles.status !== 'ok') return section('bubbles', 'Pipeline bubbles', [without(bubbles.reason)]);
  return {
    ...section('bubbles', 'Pipeline bubbles', [
      'How long each stage waited for its neighbours while its device did nothing else.',
      ...bubbleTexts(bubbles.result, ALL),
    ]),
    table: {
      columns: [
        { name: 'pipeline', unit: 'name' },
        { name: 'window', unit: 'name' },
        { name: 'rank', unit: 'text' },
        { name: 'bubble', unit: 'ns' },
        { name: 'share', unit: 'share' },
        { name: 'in no trace', unit: 'ns' },
      ],
      rows: bubbles.result.pipelines.flatMap(({ name, windows }) =>
        windows.flatMap(({ label, stages }) =>
          stages.map(({ rank, bubbleNs, share, unseenNs }): ReportCell[] => [
            name,
            label,
            String(rank),
            bubbleNs,
            share,
            unseenNs,
          ]),
        ),
      ),
    },
  };
}

function expertsSection({ experts }: JobReport): ReportSection {
  if (experts.status !== 'ok') return section('experts', 'Expert imbalance', [without(experts.reason)]);
  return {
    ...section('experts', 'Expert imbalance', [
      'What each rank did from the end of an all-to-all to the begin of the next; these take turns, so that every second stretch is of one kind.',
      ...expertTexts(experts.result, ALL),
    ]),
    table: {
      columns: [
        { name: 'group', unit: 'name' },
        { name: 'after', unit: 'text' },
        { name: 'rank', unit: 'text' },
        { name: 'between', unit: 'ns' },
        { name: 'received', unit: 'bytes' },
      ],
      rows: experts.result.groups.flatMap(({ name, kinds }) =>
        kinds.flatMap(({ after, ranks }) =>
          ranks.map(({ rank, betweenNs, receivedBytes }): ReportCell[] => [
            name,
            after,
            String(rank),
            betweenNs,
            receivedBytes,
          ]),
        ),
      ),
    },
  };
}
