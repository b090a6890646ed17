import { lazyFields } from '../../base/lazy.ts';
import { type DeviceTime, timeByClasses } from '../../graph/device-time.ts';
import type { Window } from '../../graph/windows.ts';
import type { Outcome, Subject } from '../contract.ts';
import { deviceTimesOf } from '../device-times.ts';
import { NO_DEVICE_OPS, lostWorkNotes } from '../lost-work.ts';
import { betweenStepsNotes } from '../notes.ts';
import { openScope, scopeResult, type Scope, type ScopeOptions } from '../scope.ts';
import type { BreakdownResult, DeviceBreakdown, WindowBreakdown } from './result.ts';
import { timePartsOf } from './time-parts.ts';

/** Where the time of each device went, window by window and in all. */
export function computeBreakdown(subject: Subject, options: ScopeOptions): Outcome<BreakdownResult> {
  const opened = openScope(subject, options);
  if (opened.status !== 'ok') return opened;
  const scope = opened.result;
  const times = deviceTimesOf(subject, options);
  if (times.length === 0) return { status: 'not-applicable', reason: NO_DEVICE_OPS };
  // Windows tile, so that the sums over them are those of the whole.
  const devices = times.map((time) => breakdownIn(scope, time, scope));
  const notes = [
    ...betweenStepsNotes(scope),
    ...idleDeviceNotes(devices),
    ...lostWorkNotes(scope),
    ...noCommunicationNotes(devices),
  ];
  const result: BreakdownResult = { ...scopeResult(scope, notes), devices, windows: [] };
  const windows = (): WindowBreakdown[] => scope.windows.map((window) => windowOf(scope, times, window));
  return { status: 'ok', result: lazyFields(result, { windows }) };
}

function windowOf(scope: Scope, times: readonly DeviceTime[], window: Window): WindowBreakdown {
  const { label, start, end, complete } = window;
  return {
    label,
    startNs: start,
    endNs: end,
    complete,
    devices: times.map((time) => breakdownIn(scope, time, window)),
  };
}

function breakdownIn({ graph }: Scope, time: DeviceTime, span: { start: number; end: number }): DeviceBreakdown {
  const totals = timeByClasses(time, span.start, span.end);
  return { rank: graph.trace.rank ?? 0, device: time.device, ...timePartsOf(totals) };
}

const idleDeviceNotes = (devices: readonly DeviceBreakdown[]): string[] =>
  devices
    .filter(({ busyNs, wallNs }) => busyNs === 0 && wallNs > 0)
    .map(({ device }) => `device ${device} ran nothing here: its ops lie outside of the window`);

function noCommunicationNotes(devices: readonly DeviceBreakdown[]): string[] {
  const isAny = devices.some(({ overlapShare }) => overlapShare !== undefined);
  return isAny ? [] : ['no op here is a collective: communication is 0 and has no overlap (--rules names others)'];
}
