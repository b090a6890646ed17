// What must hold of communication, launches and counters, whatever the trace.
import { computeBreakdown } from '../analyses/breakdown/compute.ts';
import { computeCommunication } from '../analyses/communication/compute.ts';
import type { CommunicationResult } from '../analyses/communication/result.ts';
import type { Subject } from '../analyses/contract.ts';
import { computeCounters } from '../analyses/counters/compute.ts';
import type { CountersResult } from '../analyses/counters/result.ts';
import { computeLaunches } from '../analyses/launches/compute.ts';
import type { LaunchesResult } from '../analyses/launches/result.ts';
import type { ScopeOptions } from '../analyses/scope.ts';
import { type Checks, failures } from './checks.ts';

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
const isShare = (share: number): boolean => share >= 0 && share <= 1;
const isCount = (count: number): boolean => Number.isInteger(count) && count >= 0;

export const COMMUNICATION_CHECKS: Checks<CommunicationResult> = {
  'exposed and overlapped sum to the communication of each device': ({ devices }) =>
    devices.every(
      ({ communicationNs, overlappedNs, exposedNs, overlapShare }) =>
        overlappedNs + exposedNs === communicationNs && overlappedNs >= 0 && exposedNs >= 0 && isShare(overlapShare),
    ),
  'exposed and overlapped of a call fit into its duration': ({ calls }) =>
    calls.every(
      ({ durationNs, overlappedNs, exposedNs, startNs, endNs }) =>
        overlappedNs >= 0 && exposedNs >= 0 && overlappedNs + exposedNs <= durationNs && durationNs === endNs - startNs,
    ),
  'a size is told, or why not': ({ calls }) =>
    calls.every(({ sizeBytes, sizeUnknown, sizeFrom }) =>
      sizeBytes === undefined ? sizeUnknown !== undefined : sizeUnknown === undefined && sizeFrom !== undefined,
    ),
  'bandwidths are finite, above 0, and only of known sizes': ({ calls }) =>
    calls.every(
      ({ bandwidth, sizeBytes }) =>
        bandwidth === undefined ||
        ((sizeBytes ?? 0) > 0 &&
          [bandwidth.algorithmGBps, bandwidth.busGBps ?? 1].every((gbps) => gbps > 0 && gbps < Infinity)),
    ),
  'the groups hold every call once': ({ groups, calls }) =>
    sum(groups.map((group) => group.calls)) === calls.length &&
    sum(groups.map(({ totalNs }) => totalNs)) === sum(calls.map(({ durationNs }) => durationNs)) &&
    sum(groups.map(({ exposedNs }) => exposedNs)) === sum(calls.map(({ exposedNs }) => exposedNs)),
  'what is on the path fits into the windows': ({ pathNs, window }) => isCount(pathNs) && pathNs <= window.wallNs,
};

export const LAUNCH_CHECKS: Checks<LaunchesResult> = {
  'a delay is ≥ 0, and the idle part of it no more': ({ launches = [] }) =>
    launches.every(
      ({ delayNs, idleNs, op }) =>
        (op === undefined) === (delayNs === undefined) && (idleNs ?? 0) >= 0 && (idleNs ?? 0) <= (delayNs ?? 0),
    ),
  'what is found waiting is a count': ({ launches = [] }) => launches.every(({ queued = 0 }) => isCount(queued)),
  'calls are those of the rows, of the names, and of the streams': ({ launches = [], calls, linked, apis, lanes }) =>
    launches.length === calls &&
    sum(apis.map((api) => api.calls)) === calls &&
    sum(apis.map((api) => api.linked)) === linked &&
    sum(lanes.map((lane) => lane.launches)) === linked,
  'times in calls sum': ({ call, apis, launches = [] }) =>
    call.totalNs === sum(apis.map((api) => api.call.totalNs)) &&
    call.totalNs === sum(launches.map(({ callNs }) => callNs)),
  'launches that found nothing waiting are those of the streams': ({ foundEmpty, lanes }) =>
    (foundEmpty?.count ?? 0) === sum(lanes.map((lane) => lane.foundEmpty)) && isShare(foundEmpty?.share ?? 0),
  'what is on the path fits into the windows': ({ path, window }) =>
    path.wallNs === window.wallNs && path.latencyNs + path.callsNs <= path.wallNs && isShare(path.launchBoundShare),
  'a queue is not full for longer than the windows': ({ lanes, window }) =>
    lanes.every(({ fullNs }) => fullNs >= 0 && fullNs <= window.wallNs),
  'a blocked call is not blocked for longer than it lasts': ({ blocked, call }) =>
    blocked.blockedNs >= 0 && blocked.blockedNs <= call.totalNs,
};

export const COUNTER_CHECKS: Checks<CountersResult> = {
  'steps ascend, within the window': ({ points = [], window }) =>
    points.every(
      ({ timeNs }, i) =>
        timeNs >= window.startNs && timeNs <= window.endNs && timeNs >= (points[i - 1]?.timeNs ?? -Infinity),
    ),
  'no value is below 0, and depths are counts': ({ points = [] }) =>
    points.every(({ series, value }) => (series.startsWith('queue') ? isCount(value) : value >= 0 && value < Infinity)),
  'each series has as many steps as it says': ({ points = [], queues, bandwidths }) =>
    [...queues, ...bandwidths].every(
      ({ series, steps }) => points.filter((point) => point.series === series).length === steps,
    ),
  'a mean lies between least and greatest': ({ queues, bandwidths }) =>
    [...queues.map(({ overTime }) => overTime), ...bandwidths.map(({ whileActive }) => whileActive)].every(
      (each) => each === undefined || (each.min <= each.mean * (1 + 1e-9) && each.mean <= each.max * (1 + 1e-9)),
    ),
  'shares lie in 0…1': ({ queues }) => queues.every(({ emptyShare }) => isShare(emptyShare)),
};

/** All three, and that communication is what the breakdown says; nothing where they do not apply. */
export function brokenLaunches(subject: Subject, options: ScopeOptions): string[] {
  const communication = computeCommunication(subject, options);
  const launches = computeLaunches(subject, { ...options, each: true });
  const counters = computeCounters(subject, { ...options, points: true });
  const breakdown = computeBreakdown(subject, options);
  const said = new Map(
    breakdown.status !== 'ok'
      ? []
      : breakdown.result.devices.map(({ device, classes }) => [
          device,
          classes.find((row) => row.class === 'communication'),
        ]),
  );
  const agrees =
    communication.status !== 'ok' ||
    communication.result.devices.every(({ device, communicationNs }) => said.get(device)?.totalNs === communicationNs);
  return [
    ...(communication.status === 'ok' ? failures(COMMUNICATION_CHECKS, communication.result) : []),
    ...(launches.status === 'ok' ? failures(LAUNCH_CHECKS, launches.result) : []),
    ...(counters.status === 'ok' ? failures(COUNTER_CHECKS, counters.result) : []),
    ...(agrees ? [] : ['communication and breakdown agree on the time of each device']),
  ];
}
