/** What the other analyses say, as sections of a document. Long lists are cut: their own commands print all. */
import { formatDur, formatShare } from '../../base/format.ts';
import { shortKernelNames } from '../../base/kernel-name.ts';
import type { BreakdownResult } from '../breakdown/result.ts';
import type { CommunicationResult } from '../communication/result.ts';
import type { Outcome } from '../contract.ts';
import { CAUSE_WORDS } from '../idle-words.ts';
import type { IdleReason, IdleResult } from '../idle/result.ts';
import type { KernelsResult } from '../kernels/result.ts';
import type { LaunchesResult } from '../launches/result.ts';
import type { OpsResult } from '../ops/result.ts';
import type { AnnotationsResult } from '../annotations/result.ts';
import type { EventReference } from '../reference.ts';
import type { StepsResult } from '../steps/result.ts';
import type { ReportCell, ReportColumn, ReportSection, ReportTable, ReportText } from './document.ts';
import type { ReportAnswers } from './result.ts';
import { CLASS_WORDS, GROUP_WORDS, SUMMARIES } from './summaries.ts';
import { KIND_WORDS } from './words.ts';

/** Rows of a list at most. */
const ROWS = 20;

interface Words {
  /** Short names of kernels, unless they were asked for in full. */
  readonly fullNames: boolean;
  readonly commandOf: (command: string) => string;
}

export function answerSections(answers: ReportAnswers, words: Words): ReportSection[] {
  return [
    sectionOf('breakdown', 'Where the device’s time went', answers.breakdown, words, (result) => breakdown(result)),
    sectionOf('idle', 'Why the device was idle', answers.idle, words, idle),
    sectionOf('steps', 'How the steps differ', answers.steps, words, (result) => steps(result)),
    sectionOf('kernels', 'Kernels', answers.kernels, words, kernels),
    sectionOf('ops', 'Host ops', answers.ops, words, (result) => ops(result)),
    sectionOf('communication', 'Communication', answers.communication, words, (result) => communication(result)),
    sectionOf('launches', 'Launches', answers.launches, words, (result) => launches(result)),
    sectionOf('annotations', 'Annotations', answers.annotations, words, (result) => annotations(result)),
  ];
}

type Content = Pick<ReportSection, 'chart' | 'table'> & { readonly paragraphs?: readonly ReportText[] };

function sectionOf<Id extends keyof ReportAnswers, Result>(
  id: Id,
  heading: string,
  outcome: Outcome<Result> & ReportAnswers[Id],
  words: Words,
  contentOf: (result: Result, words: Words) => Content,
): ReportSection {
  const head = { id, heading, command: words.commandOf(id) };
  if (outcome.status !== 'ok') return { ...head, paragraphs: [`No answer: ${outcome.reason}.`] };
  const summarize = SUMMARIES[id] as (result: unknown, name: (text: string) => string) => string;
  const short = (text: string): string => (words.fullNames ? text : (shortKernelNames([text]).get(text) ?? text));
  const { paragraphs = [], ...content } = contentOf(outcome.result, words);
  return { ...head, paragraphs: [`${capitalize(summarize(outcome.result, short))}.`, ...paragraphs], ...content };
}

const capitalize = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
const handle = (event: EventReference | undefined): string | undefined => event && `e-${event.event}`;
const column = (name: string, unit: ReportColumn['unit']): ReportColumn => ({ name, unit });

/** The first rows of a list, and how many it has. */
function cut<T>(columns: readonly ReportColumn[], list: readonly T[], rowOf: (row: T) => ReportCell[]): ReportTable {
  const rows = list.slice(0, ROWS).map(rowOf);
  return { columns, rows, ...(list.length > ROWS ? { total: list.length } : {}) };
}

function breakdown({ devices, windows }: BreakdownResult): Content {
  const labelOf = (classes: readonly (keyof typeof CLASS_WORDS)[]): string =>
    classes.map((each) => CLASS_WORDS[each]).join(' and ');
  const parts = [
    ...new Set(devices.flatMap(({ combinations }) => combinations.map(({ classes }) => labelOf(classes)))),
  ];
  const barOf = (device: BreakdownResult['devices'][number]): number[] => [
    ...parts.map((part) => device.combinations.find(({ classes }) => labelOf(classes) === part)?.totalNs ?? 0),
    device.idleNs,
  ];
  const bars = (list: readonly { readonly label: string; readonly devices: BreakdownResult['devices'] }[]) =>
    list.flatMap(({ label, devices: [device] }) => (device === undefined ? [] : [{ label, values: barOf(device) }]));
  // Of one device how the windows differ says more than their sum.
  const isOne = devices.length === 1 && windows.length > 1;
  const rows = isOne
    ? bars(windows)
    : bars(devices.map((each) => ({ label: `device ${each.device}`, devices: [each] })));
  return {
    chart: {
      kind: 'bars',
      unit: 'ns',
      parts: [...parts, 'idle'],
      rows,
    },
    table: cut(
      [
        column('device', 'count'),
        column('class', 'text'),
        column('time', 'ns'),
        column('share', 'share'),
        column('exposed', 'ns'),
        column('overlapped', 'ns'),
      ],
      devices.flatMap(({ device, classes, idleNs, idleShare }) => [
        ...classes.map((row): ReportCell[] => [
          device,
          CLASS_WORDS[row.class],
          row.totalNs,
          row.share,
          row.exposedNs,
          row.overlappedNs,
        ]),
        [device, 'idle', idleNs, idleShare, undefined, undefined],
      ]),
      (row) => row,
    ),
  };
}

function idle({ devices, reasons, gaps }: IdleResult, { fullNames }: Words): Content {
  const parts = devices[0]?.groups.map(({ group }) => group) ?? [];
  const short = fullNames ? undefined : shortKernelNames(reasons.flatMap(({ name }) => name ?? []));
  const [gap] = gaps;
  const longest =
    gap === undefined
      ? []
      : [
          `The longest gap takes ${formatDur(gap.totalNs)}, ${formatShare(gap.share)} of the idle time${gap.endedBy === undefined ? '' : `; e-${gap.endedBy.event} ended it`}.`,
        ];
  return {
    paragraphs: longest,
    chart: {
      kind: 'bars',
      unit: 'ns',
      parts: parts.map((group) => GROUP_WORDS[group]),
      rows: devices.map(({ device, groups }) => ({
        label: `device ${device}`,
        values: groups.map(({ totalNs }) => totalNs),
      })),
    },
    table: cut(
      [
        column('device', 'count'),
        column('cause', 'text'),
        column('of', 'name'),
        column('time', 'ns'),
        column('share', 'share'),
        column('gaps', 'count'),
        column('longest', 'text'),
      ],
      reasons,
      (reason: IdleReason) => [
        reason.device,
        CAUSE_WORDS[reason.cause],
        reason.name === undefined ? reason.python : (short?.get(reason.name) ?? reason.name),
        reason.totalNs,
        reason.share,
        reason.gaps,
        handle(reason.longest.event),
      ],
    ),
  };
}

function steps({ rows }: StepsResult): Content {
  return {
    table: cut(
      [
        column('step', 'name'),
        column('time', 'ns'),
        column('from the median', 'share'),
        column('counts', 'text'),
        column('differs most by', 'text'),
        column('that', 'ns'),
      ],
      rows,
      ({ label, wallNs, fromMedian, distrust, isOutlier, differs }) => {
        const most = differs?.byKind.toSorted((a, b) => Math.abs(b.deltaNs) - Math.abs(a.deltaNs)).at(0);
        const counts = distrust.length > 0 ? `no: ${distrust.join(', ')}` : isOutlier ? 'yes: an outlier' : 'yes';
        return [label, wallNs, fromMedian, counts, most && KIND_WORDS[most.kind].noun, most?.deltaNs];
      },
    ),
  };
}

function kernels({ rows }: KernelsResult, { fullNames }: Words): Content {
  const shown = rows.slice(0, ROWS);
  const short = fullNames ? undefined : shortKernelNames(shown.map(({ name }) => name));
  return {
    table: cut(
      [
        column('kernel', 'name'),
        column('class', 'text'),
        column('count', 'count'),
        column('time', 'ns'),
        column('share', 'share'),
        column('median', 'ns'),
        column('p95', 'ns'),
        column('on the path', 'ns'),
        column('longest', 'text'),
      ],
      rows,
      (row) => [
        short?.get(row.name) ?? row.name,
        row.class,
        row.count,
        row.totalNs,
        row.share,
        row.medianNs,
        row.p95Ns,
        row.pathNs,
        handle(row.largest),
      ],
    ),
  };
}

function ops({ rows }: OpsResult): Content {
  return {
    table: cut(
      [
        column('op', 'name'),
        column('count', 'count'),
        column('own time', 'ns'),
        column('share', 'share'),
        column('total time', 'ns'),
        column('device time', 'ns'),
        column('launches', 'count'),
        column('longest', 'text'),
      ],
      rows,
      (row) => [
        row.name,
        row.count,
        row.selfNs,
        row.selfShare,
        row.totalNs,
        row.deviceNs,
        row.launches,
        handle(row.longest),
      ],
    ),
  };
}

function communication({ devices, groups }: CommunicationResult): Content {
  return {
    chart: {
      kind: 'bars',
      unit: 'ns',
      parts: ['beside computation', 'exposed'],
      rows: devices.map(({ device, overlappedNs, exposedNs }) => ({
        label: `device ${device}`,
        values: [overlappedNs, exposedNs],
      })),
    },
    table: cut(
      [
        column('operation', 'text'),
        column('group', 'name'),
        column('size', 'bytes'),
        column('calls', 'count'),
        column('time', 'ns'),
        column('exposed', 'ns'),
        column('on the path', 'ns'),
        column('bus bandwidth at best', 'gb-per-s'),
        column('longest', 'text'),
      ],
      groups,
      (row) => [
        row.operation,
        row.group?.description ?? row.group?.name,
        row.sizeBytes,
        row.calls,
        row.totalNs,
        row.exposedNs,
        row.pathNs,
        row.busGBps?.max,
        handle(row.longest),
      ],
    ),
  };
}

function launches({ apis }: LaunchesResult): Content {
  return {
    table: cut(
      [
        column('call', 'name'),
        column('calls', 'count'),
        column('with device rows', 'count'),
        column('device ops', 'count'),
        column('median', 'ns'),
        column('p95', 'ns'),
        column('median delay', 'ns'),
        column('shorter than their call', 'count'),
      ],
      apis,
      (row) => [
        row.name,
        row.calls,
        row.linked,
        row.deviceOps,
        row.call.medianNs,
        row.call.p95Ns,
        row.delay?.medianNs,
        row.short,
      ],
    ),
  };
}

function annotations({ rows }: AnnotationsResult): Content {
  return {
    table: cut(
      [
        column('annotation', 'name'),
        column('count', 'count'),
        column('host time', 'ns'),
        column('own', 'ns'),
        column('device ops launched', 'count'),
        column('their time', 'ns'),
        column('on the path', 'ns'),
        column('longest', 'text'),
      ],
      rows,
      (row) => [
        row.name,
        row.count,
        row.totalNs,
        row.selfNs,
        row.launched.ops,
        row.launched.opTimeNs,
        row.pathNs,
        handle(row.longest),
      ],
    ),
  };
}
