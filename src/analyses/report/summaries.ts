import { formatBytes, formatCount, formatDur, formatPlural, formatShare } from '../../base/format.ts';
import type { AnnotationsResult } from '../annotations/result.ts';
import type { BreakdownResult, WorkClass } from '../breakdown/result.ts';
import type { CommunicationResult } from '../communication/result.ts';
import type { IdleGroup, IdleReason, IdleResult } from '../idle/result.ts';
import { CAUSE_WORDS } from '../idle-words.ts';
import type { KernelsResult } from '../kernels/result.ts';
import type { LaunchesResult } from '../launches/result.ts';
import type { OpsResult } from '../ops/result.ts';
import type { StepsResult } from '../steps/result.ts';
import type { ReportAnswers } from './result.ts';

/** Makes a name from the trace fit to be printed. */
type Name = (name: string) => string;

type Summaries = {
  readonly [Id in keyof ReportAnswers]: (
    result: Extract<ReportAnswers[Id], { readonly status: 'ok' }>['result'],
    name: Name,
  ) => string;
};

const SHOWN = 3;

/** The answer of each analysis in a line or two; the analysis itself says the rest. */
export const SUMMARIES: Summaries = { breakdown, idle, steps, kernels, ops, communication, launches, annotations };

export const CLASS_WORDS: Readonly<Record<WorkClass, string>> = {
  computation: 'computing',
  communication: 'communicating',
  copy: 'copying',
  other: 'other work',
};

function breakdown({ devices }: BreakdownResult): string {
  const texts = devices.slice(0, SHOWN).map(({ device, classes, idleShare, overlapShare }) => {
    const parts = classes
      .filter(({ totalNs }) => totalNs > 0)
      .map((row) => {
        const hidden = row.class === 'communication' && overlapShare !== undefined;
        return `${CLASS_WORDS[row.class]} ${formatShare(row.share)}${hidden ? ` (${formatShare(overlapShare, 0)} of it hidden)` : ''}`;
      });
    return `device ${device}: ${[...parts, `idle ${formatShare(idleShare)}`].join(', ')}`;
  });
  return texts.join('; ') + moreOf(devices.length, 'device');
}

export const GROUP_WORDS: Readonly<Record<IdleGroup, string>> = {
  'host-late': 'the host was late',
  launch: 'launch latency',
  'device-order': 'order of its streams',
  'other-device': 'another device',
  'other-rank': 'another rank',
  'before-first-op': 'before its first op',
  'after-last-op': 'after its last op',
  unexplained: 'unexplained',
};

function idle({ devices, reasons }: IdleResult, name: Name): string {
  const texts = devices.slice(0, SHOWN).map(({ device, idleNs, groups }) => {
    if (idleNs === 0) return `device ${device}: never`;
    const largest = groups.filter(({ totalNs }) => totalNs > 0).toSorted((a, b) => b.totalNs - a.totalNs);
    const parts = largest.slice(0, SHOWN).map(({ group, share }) => `${GROUP_WORDS[group]} ${formatShare(share)}`);
    const most = mostText(
      reasons.find((each) => each.device === device),
      name,
    );
    return `device ${device}: ${formatDur(idleNs)}, of which ${parts.join(', ')}${most}`;
  });
  return texts.join('; ') + moreOf(devices.length, 'device');
}

/** The largest reason of a device; one without a name says no more than its group. */
function mostText(reason: IdleReason | undefined, name: Name): string {
  if (reason?.name === undefined) return '';
  const where = { 'host-work': 'in', 'host-gap': 'before', unexplained: 'unexplained before' } as const;
  const word = { ...CAUSE_WORDS, ...where }[reason.cause];
  return `; most: ${word} ${name(reason.name)} ${formatShare(reason.share)}`;
}

function steps({ rows, summary, outlierRule, foundBy, repetition }: StepsResult): string {
  if (summary === undefined) return `${formatPlural(rows.length, 'step')}, none of which counts`;
  const untrusted = rows.filter(({ distrust }) => distrust.length > 0);
  const outliers = rows.filter(({ isOutlier }) => isOutlier);
  const found = repetition === undefined ? '' : ` (found by repetition, ${repetition.confidence} confidence)`;
  const what = foundBy === 'window' ? formatPlural(summary.count, 'window') : formatPlural(summary.count, 'step');
  return [
    `${what}${found}${summary.count > 1 ? `, spread ${formatShare(summary.spread)}` : ''}`,
    outlierRule === undefined
      ? 'too few to call one an outlier'
      : outliers.length === 0
        ? 'no outliers'
        : formatPlural(outliers.length, 'outlier'),
    ...(untrusted.length === 0 ? [] : [`${formatCount(untrusted.length)} not counted`]),
  ].join(', ');
}

function kernels({ rows, count, devices }: KernelsResult, name: Name): string {
  const busyNs = devices.reduce((sum, device) => sum + device.busyNs, 0);
  const most = rows.slice(0, 2).map(({ name: of, share, pathNs }) => {
    const onPath = pathNs === 0 ? 'not on the path' : `${formatDur(pathNs)} on the path`;
    return `${name(of)} ${formatShare(share)} (${onPath})`;
  });
  return `${formatPlural(count, 'device op')} of ${formatPlural(rows.length, 'name')}, busy ${formatDur(busyNs)}: ${most.join('; ')}`;
}

function ops({ rows, hostNs, launches }: OpsResult, name: Name): string {
  if (rows.length === 0 || hostNs === 0) return 'no host op ran in these windows';
  const most = rows.slice(0, SHOWN).map((row) => `${name(row.name)} ${formatShare(row.selfShare)}`);
  return `${formatDur(hostNs)} in host ops, ${formatPlural(launches, 'launch', 'launches')}; most own time: ${most.join('; ')}`;
}

function communication({ calls, devices, groups }: CommunicationResult): string {
  const totals = devices.map(
    ({ device, communicationNs, exposedNs, overlapShare }) =>
      `device ${device}: ${formatDur(communicationNs)}, ${formatShare(overlapShare, 0)} hidden, ${formatDur(exposedNs)} exposed`,
  );
  const [largest] = groups;
  const bus = largest?.busGBps === undefined ? '' : `, bus bandwidth ${largest.busGBps.max.toFixed(1)} GB/s at best`;
  const size = largest?.sizeBytes === undefined ? '' : ` of ${formatBytes(largest.sizeBytes)}`;
  const most = largest === undefined ? '' : `; most: ${largest.operation}${size}${bus}`;
  return `${formatPlural(calls.length, 'call')}; ${totals.slice(0, SHOWN).join('; ')}${moreOf(devices.length, 'device')}${most}`;
}

function launches({ calls, call, delay, foundEmpty, path, blocked }: LaunchesResult): string {
  return [
    `${formatPlural(calls, 'call')}, median ${formatDur(call.medianNs)}`,
    ...(delay === undefined ? [] : [`median delay ${formatDur(delay.medianNs)}`]),
    ...(foundEmpty === undefined ? [] : [`${formatShare(foundEmpty.share, 0)} found their stream empty`]),
    ...(blocked.calls === 0 ? [] : [`${formatDur(blocked.blockedNs)} blocked on full queues`]),
    `launch-bound ${formatShare(path.launchBoundShare)} of the path`,
  ].join(', ');
}

function annotations({ rows }: AnnotationsResult, name: Name): string {
  const most = rows
    .filter((row) => !row.name.startsWith('ProfilerStep'))
    .slice(0, SHOWN)
    .map((row) => `${name(row.name)} ${formatShare(row.share)}`);
  return most.length === 0
    ? `${formatPlural(rows.length, 'name')}: steps only`
    : `${formatPlural(rows.length, 'name')}; most host time: ${most.join('; ')}`;
}

const moreOf = (count: number, one: string): string =>
  count > SHOWN ? `; and ${formatPlural(count - SHOWN, `more ${one}`)}` : '';
