import { lazyFields } from '../../base/lazy.ts';
import type { DeviceTime } from '../../graph/device-time.ts';
import type { Outcome, Subject } from '../contract.ts';
import { deviceTimesOf } from '../device-times.ts';
import { NO_DEVICE_OPS, lostWorkNotes } from '../lost-work.ts';
import { betweenStepsNotes } from '../notes.ts';
import { openScope, scopeResult, type Scope, type ScopeOptions } from '../scope.ts';
import { gapRows, type Ranked } from './gap-rows.ts';
import type { DeviceGaps } from './gaps.ts';
import { idleNotes } from './notes.ts';
import { causeOf } from './reason.ts';
import { ReasonTable } from './reason-table.ts';
import type { DeviceIdle, IdleDrain, IdleReason, IdleResult, IdleTime } from './result.ts';
import { WindowTotals } from './totals.ts';
import { GapWalk } from './walk-gaps.ts';

/** Why each device was idle: every gap is divided by what held up the op that ended it. */
export function computeIdle(subject: Subject, options: ScopeOptions): Outcome<IdleResult> {
  const opened = openScope(subject, options);
  if (opened.status !== 'ok') return opened;
  const scope = opened.result;
  const times = deviceTimesOf(subject, options);
  if (times.length === 0) return { status: 'not-applicable', reason: NO_DEVICE_OPS };
  const answers = times.map((time) => idleOf(scope, time));
  const windows = scope.windows.map(({ label, start, end, complete }, w) => ({
    label,
    startNs: start,
    endNs: end,
    complete,
    devices: answers.map(({ byWindow }) => byWindow[w]),
  }));
  const devices = answers.map(({ all }) => all);
  const notes = [...betweenStepsNotes(scope), ...lostWorkNotes(scope), ...idleNotes(scope.graph, devices)];
  const result: IdleResult = {
    ...scopeResult(scope, notes),
    devices,
    windows,
    reasons: answers.flatMap(({ reasons }) => reasons).sort((a, b) => b.totalNs - a.totalNs),
    drains: answers.flatMap(({ drains }) => drains).sort((a, b) => b.totalNs - a.totalNs),
    gaps: [],
  };
  const ranked = answers.map((answer) => answer.ranked);
  return { status: 'ok', result: lazyFields(result, { gaps: () => gapRows(scope, ranked) }) };
}

interface Answer {
  readonly all: DeviceIdle;
  readonly byWindow: readonly IdleTime[];
  readonly reasons: readonly IdleReason[];
  readonly drains: readonly IdleDrain[];
  readonly ranked: Ranked;
}

function idleOf(scope: Scope, time: DeviceTime): Answer {
  const { graph, windows } = scope;
  const walk = new GapWalk(scope, time);
  const { gaps } = walk;
  const totals = new WindowTotals(windows);
  const table = new ReasonTable(scope.context(), gaps);
  let ambiguousNs = 0;
  for (let gap = 0; gap < gaps.length; gap++) {
    const place = walk.placeOf(gap);
    const rows = walk.rowsOf(gap);
    for (let row = rows.first; row <= rows.last; row++) {
      const [start, end] = [rows.start[row], rows.end[row]];
      totals.add(place, causeOf(graph, gaps.device, rows.kind[row], rows.event[row]), start, end);
      table.add(gap, rows, row);
      if (rows.ambiguous[row] === 1) ambiguousNs += end - start;
    }
    const drain = walk.drainOf(gap, rows);
    if (drain !== undefined) table.addDrain(gap, drain);
  }
  const { idleNs } = totals.all;
  const lengths = lengthsOf(gaps);
  const idleIn = (
    wallNs: number,
    { idleNs: ns, groups }: { idleNs: number; groups: IdleTime['groups'] },
  ): IdleTime => ({
    rank: graph.trace.rank ?? 0,
    device: gaps.device,
    wallNs,
    idleNs: ns,
    idleShare: wallNs > 0 ? ns / wallNs : 0,
    groups,
  });
  const drains = table.drains(idleNs);
  return {
    all: {
      ...idleIn(scope.end - scope.start, { idleNs, groups: totals.all.groups() }),
      gapCount: gaps.length,
      longestGapNs: lengths.at(-1) ?? 0,
      halfAboveNs: halfAbove(lengths, idleNs),
      ambiguousNs,
      drainedNs: drains.reduce((sum, { totalNs }) => sum + totalNs, 0),
    },
    byWindow: totals.each.map((each, w) =>
      idleIn(windows[w].end - windows[w].start, { idleNs: each.idleNs, groups: each.groups() }),
    ),
    reasons: table.reasons(idleNs),
    drains,
    ranked: { walk, idleNs },
  };
}

/** Ascending. */
function lengthsOf({ length, start, end }: DeviceGaps): Float64Array {
  const lengths = new Float64Array(length);
  for (let gap = 0; gap < length; gap++) lengths[gap] = end[gap] - start[gap];
  return lengths.sort();
}

/** The length from which on gaps hold half of the time. `lengths` ascend. */
function halfAbove(lengths: Float64Array, totalNs: number): number {
  let sum = 0;
  for (let i = lengths.length - 1; i >= 0; i--) {
    sum += lengths[i];
    if (2 * sum >= totalNs) return lengths[i];
  }
  return 0;
}
