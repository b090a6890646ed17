// Sums that close, whatever the trace: breakdowns to wall time, idle causes to idle time, exposed and overlapped to the whole.
import { computeBreakdown } from '../analyses/breakdown/compute.ts';
import type { BreakdownResult, TimeParts } from '../analyses/breakdown/result.ts';
import type { Subject } from '../analyses/contract.ts';
import { computeIdle } from '../analyses/idle/compute.ts';
import type { IdleResult, IdleTime } from '../analyses/idle/result.ts';
import type { ScopeOptions } from '../analyses/scope.ts';
import { type Checks, failures } from './checks.ts';

const sum = (numbers: readonly number[]): number => numbers.reduce((total, ns) => total + ns, 0);
const isShare = (share: number): boolean => share >= 0 && share <= 1;

/** All parts of a breakdown: of each device in all, and in each window. */
const partsOf = ({ devices, windows }: BreakdownResult): TimeParts[] => [
  ...devices,
  ...windows.flatMap((window) => window.devices),
];

export const BREAKDOWN_CHECKS: Checks<BreakdownResult> = {
  'combinations and idle sum to the wall time': (result) =>
    partsOf(result).every(
      ({ combinations, idleNs, wallNs }) => sum(combinations.map(({ totalNs }) => totalNs)) + idleNs === wallNs,
    ),
  'busy and idle sum to the wall time': (result) =>
    partsOf(result).every(({ busyNs, idleNs, wallNs }) => busyNs + idleNs === wallNs),
  'exposed and overlapped sum to the class': (result) =>
    partsOf(result).every(({ classes }) =>
      classes.every(({ totalNs, exposedNs, overlappedNs }) => exposedNs + overlappedNs === totalNs && exposedNs >= 0),
    ),
  'a class is the sum of the combinations that hold it': (result) =>
    partsOf(result).every(({ classes, combinations }) =>
      classes.every(
        (row) => row.totalNs === sum(combinations.map((each) => (each.classes.includes(row.class) ? each.totalNs : 0))),
      ),
    ),
  'times are whole nanoseconds ≥ 0': (result) =>
    partsOf(result).every(({ combinations, idleNs }) =>
      [idleNs, ...combinations.map(({ totalNs }) => totalNs)].every((ns) => Number.isInteger(ns) && ns >= 0),
    ),
  'shares lie in 0…1': (result) =>
    partsOf(result).every(({ combinations, classes, idleShare, overlapShare = 0 }) =>
      [idleShare, overlapShare, ...combinations.map(({ share }) => share), ...classes.map(({ share }) => share)].every(
        isShare,
      ),
    ),
  'the overlap share is there exactly where there is communication': (result) =>
    partsOf(result).every(
      ({ classes, overlapShare }) =>
        (overlapShare !== undefined) === classes.some((row) => row.class === 'communication' && row.totalNs > 0),
    ),
  'the windows sum to the whole, and each lasts its wall time': ({ devices, windows }) =>
    devices.every((device, d) =>
      (['wallNs', 'idleNs', 'busyNs'] as const).every(
        (field) => sum(windows.map((window) => window.devices[d]?.[field] ?? NaN)) === device[field],
      ),
    ) && windows.every(({ startNs, endNs, devices: parts }) => parts.every(({ wallNs }) => wallNs === endNs - startNs)),
};

const idleTimesOf = ({ devices, windows }: IdleResult): IdleTime[] => [
  ...devices,
  ...windows.flatMap((window) => window.devices),
];

/** No more gaps than these have rows. */
const MOST_GAPS = 1_000;

export const IDLE_CHECKS: Checks<IdleResult> = {
  'groups sum to the idle time, and causes to their group': (result) =>
    idleTimesOf(result).every(
      ({ groups, idleNs }) =>
        sum(groups.map(({ totalNs }) => totalNs)) === idleNs &&
        groups.every(({ totalNs, causes }) => sum(causes.map((cause) => cause.totalNs)) === totalNs),
    ),
  'the windows sum to the whole': ({ devices, windows }) =>
    devices.every(
      (device, d) =>
        sum(windows.map((window) => window.devices[d]?.idleNs ?? NaN)) === device.idleNs &&
        device.groups.every(
          ({ totalNs }, g) => sum(windows.map((window) => window.devices[d]?.groups[g]?.totalNs ?? NaN)) === totalNs,
        ),
    ),
  'the reasons of a device sum to its idle time': ({ devices, reasons }) =>
    devices.every(
      ({ device, idleNs }) => sum(reasons.map((reason) => (reason.device === device ? reason.totalNs : 0))) === idleNs,
    ),
  'the gaps sum to the idle time where all have rows': ({ devices, gaps }) =>
    sum(devices.map(({ gapCount }) => gapCount)) > MOST_GAPS ||
    devices.every(
      ({ device, idleNs, gapCount }) =>
        sum(gaps.map((gap) => (gap.device === device ? gap.totalNs : 0))) === idleNs &&
        gaps.filter((gap) => gap.device === device).length === gapCount,
    ),
  'the chain of a gap sums to it': ({ gaps }) =>
    gaps.every(
      ({ chain, otherNs, totalNs, startNs, endNs }) =>
        sum(chain.map((link) => link.totalNs)) + otherNs === totalNs && otherNs >= 0 && totalNs === endNs - startNs,
    ),
  'no gap is empty, and the longest come first': ({ gaps }) =>
    gaps.every(({ totalNs }, n) => totalNs > 0 && totalNs <= (gaps[n - 1]?.totalNs ?? Infinity)),
  'a gap is explained from the op that ended it': ({ gaps }) =>
    gaps.every(
      ({ endedBy, explain, place }) =>
        (endedBy === undefined) === (place === 'after-last-op') && (explain === undefined) === (endedBy === undefined),
    ),
  'the device itself does not run in its gaps': ({ reasons, devices }) =>
    // With several, the chain may lead through what happened on another one.
    devices.length > 1 ||
    reasons.every(({ cause, unexplained }) => cause !== 'other-device' && unexplained !== 'other-lane-busy'),
  'what is told of the idle time is a part of it': ({ devices }) =>
    devices.every(
      ({ idleNs, wallNs, drainedNs, ambiguousNs, longestGapNs }) =>
        idleNs <= wallNs && drainedNs <= idleNs && ambiguousNs <= idleNs && longestGapNs <= idleNs,
    ),
};

/** Both answers, and that they agree; nothing where they do not apply. */
export function brokenClosing(subject: Subject, options: ScopeOptions): string[] {
  const breakdown = computeBreakdown(subject, options);
  const idle = computeIdle(subject, options);
  if (breakdown.status !== 'ok' || idle.status !== 'ok') {
    return breakdown.status === idle.status ? [] : ['breakdown and idle do not apply to the same traces'];
  }
  const agree = breakdown.result.windows.every((window, w) =>
    window.devices.every(({ device, idleNs, wallNs }, d) => {
      const other = idle.result.windows[w]?.devices[d];
      return other?.device === device && other.idleNs === idleNs && other.wallNs === wallNs;
    }),
  );
  return [
    ...failures(BREAKDOWN_CHECKS, breakdown.result),
    ...failures(IDLE_CHECKS, idle.result),
    ...(agree ? [] : ['breakdown and idle agree on the idle time of each device and window']),
  ];
}
