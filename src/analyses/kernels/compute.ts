import { formatCount, formatPlural } from '../../base/format.ts';
import { lazyFields } from '../../base/lazy.ts';
import type { DeviceClass } from '../../graph/classify.ts';
import type { Graph } from '../../graph/graph.ts';
import { clip, lengthOf } from '../../graph/intervals.ts';
import type { Outcome, Subject } from '../contract.ts';
import { deviceTimesOf } from '../device-times.ts';
import { NO_DEVICE_OPS, lostWorkNotes } from '../lost-work.ts';
import { betweenStepsNotes } from '../notes.ts';
import { type Scope, openScope, scopeResult, type ScopeOptions } from '../scope.ts';
import { groupBy, summarize } from './group.ts';
import { type Members, gatherMembers } from './members.ts';
import type { ClassRow, KernelClass, KernelsResult, KernelsRow } from './result.ts';
import { CLASS_ORDER, CLASSES, type OperatorCounts, countOperators, shapeRows } from './shapes.ts';

const NAMES: Readonly<Record<DeviceClass, KernelClass>> = {
  kernel: 'computation',
  collective: 'communication',
  copy: 'copy',
  other: 'other',
};

/** What the devices ran in the windows: by name, and by name, launching operator and its inputs. */
export function computeKernels(subject: Subject, options: ScopeOptions): Outcome<KernelsResult> {
  const opened = openScope(subject, options);
  if (opened.status !== 'ok') return opened;
  const scope = opened.result;
  const { graph, windows, start, end } = scope;
  if (graph.device.length === 0) return { status: 'not-applicable', reason: NO_DEVICE_OPS };
  const members = gatherMembers(scope);
  if (members.length === 0) return { status: 'not-applicable', reason: 'no device op runs in that window' };
  const classOf = (op: number): KernelClass => NAMES[graph.classOf[op]];
  const opTimeNs = opTimeOf(scope, members, undefined);
  const rows = kernelRows(scope, members, classOf, opTimeNs);
  const result: KernelsResult = {
    ...scopeResult(scope),
    windows: windows.map(({ label, start: startNs, end: endNs, bounds }) => ({
      label,
      startNs,
      endNs,
      ...(bounds.kind === 'between' ? { isBetween: true as const } : {}),
    })),
    count: members.length,
    opTimeNs,
    devices: deviceTimesOf(subject, options).map(({ device, busy }) => ({
      device,
      busyNs: lengthOf(clip(busy, start, end)),
      opTimeNs: opTimeOf(scope, members, device),
    })),
    classes: classRows(rows, opTimeNs),
    rows,
    shapes: [],
  };
  const notes = (): string[] => [
    ...betweenStepsNotes(scope),
    ...notesOf(scope, members, countOperators(graph, members)),
    ...lostWorkNotes(scope),
  ];
  return {
    status: 'ok',
    result: lazyFields(result, {
      notes: () => scopeResult(scope, notes()).notes,
      shapes: () => shapeRows(graph, members, classOf, opTimeNs),
    }),
  };
}

function kernelRows(
  scope: Scope,
  members: Members,
  classOf: (op: number) => KernelClass,
  opTimeNs: number,
): KernelsRow[] {
  const { graph } = scope;
  const { device, trace } = graph;
  const grouping = groupBy(members.length, (row) => {
    const op = members.op[row];
    return trace.events.name[device.event[op]] * CLASSES + CLASS_ORDER.indexOf(classOf(op));
  });
  const rows = Array.from({ length: grouping.count }, (_, group): KernelsRow => {
    const own = grouping.rows.subarray(grouping.first[group], grouping.first[group + 1]);
    const op = members.op[own[0]];
    const row: KernelsRow = {
      name: trace.strings.text(trace.events.name[device.event[op]]),
      class: classOf(op),
      ...summarize(graph, members, own, opTimeNs),
      devices: [],
      perWindow: { count: [], totalNs: [] },
    };
    return lazyFields(row, {
      devices: () => devicesOf(graph, members, own),
      perWindow: () => perWindow(scope, members, own),
    });
  });
  return rows.sort((a, b) => b.totalNs - a.totalNs || a.largest.event - b.largest.event);
}

/** Ascending. */
function devicesOf({ device }: Graph, members: Members, rows: Int32Array): number[] {
  const devices: number[] = [];
  for (let i = 0; i < rows.length; i++) {
    const of = device.lanes[device.lane[members.op[rows[i]]]].device;
    if (!devices.includes(of)) devices.push(of);
  }
  return devices.sort((a, b) => a - b);
}

/** Instances ascend by start and windows tile, so that one of several windows is walked through once. */
function perWindow({ graph, windows }: Scope, members: Members, rows: Int32Array): KernelsRow['perWindow'] {
  const count = windows.map(() => 0);
  const totalNs = windows.map(() => 0);
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i];
    const [from, to] = [graph.device.start[members.op[row]], graph.device.end[members.op[row]]];
    count[members.window[row]]++;
    for (let at = members.window[row]; at >= 0; at--) {
      totalNs[at] += Math.max(0, Math.min(to, windows[at].end) - Math.max(from, windows[at].start));
      if (from >= windows[at].start) break;
    }
  }
  return { count, totalNs };
}

function classRows(rows: readonly KernelsRow[], opTimeNs: number): ClassRow[] {
  return CLASS_ORDER.flatMap((name): ClassRow[] => {
    const own = rows.filter((row) => row.class === name);
    if (own.length === 0) return [];
    const sum = (of: (row: KernelsRow) => number): number => own.reduce((total, row) => total + of(row), 0);
    return [
      {
        class: name,
        kernels: own.length,
        count: sum(({ count }) => count),
        totalNs: sum(({ totalNs }) => totalNs),
        share: opTimeNs > 0 ? sum(({ totalNs }) => totalNs) / opTimeNs : 0,
        pathNs: sum(({ pathNs }) => pathNs),
      },
    ];
  }).sort((a, b) => b.totalNs - a.totalNs);
}

/** Of one device, or of all. */
function opTimeOf({ graph }: Scope, members: Members, of: number | undefined): number {
  const { lanes, lane } = graph.device;
  let total = 0;
  for (let row = 0; row < members.length; row++) {
    if (of === undefined || lanes[lane[members.op[row]]].device === of) total += members.insideNs[row];
  }
  return total;
}

function notesOf({ windows }: Scope, members: Members, counts: OperatorCounts): string[] {
  const notes: string[] = [];
  const { withOp, withShapes, withoutCall, byGraph, outside } = counts;
  if (members.cut > 0) {
    const [cut, them] = [formatPlural(members.cut, 'device op'), members.cut === 1 ? 'it' : 'them'];
    notes.push(`${cut} crossed the window's border: totals have the part of ${them} inside, durations the whole`);
  }
  if (windows.some(({ bounds }) => bounds.kind === 'range')) {
    notes.push('a range has no slack: its end does not move');
  }
  const reasons = [
    [withoutCall, 'without a launch call'],
    [byGraph, 'launched by a graph, which does not tell what recorded them'],
    [outside, 'launched outside of operators'],
  ] as const;
  const told = reasons.filter(([count]) => count > 0).map(([count, why]) => `${formatCount(count)} ${why}`);
  if (told.length > 0) {
    const ops = `${formatCount(members.length - withOp)} of ${formatPlural(members.length, 'device op')}`;
    notes.push(`no operator is known for ${ops}: ${told.join(', ')}`);
  }
  if (withOp > 0 && withShapes === 0) notes.push('no input shapes in this trace: record_shapes=True records them');
  else if (withShapes < withOp) {
    const ops = `${formatCount(withOp - withShapes)} of ${formatPlural(withOp, 'device op')}`;
    notes.push(`no input shapes are known for ${ops}: their operators were recorded without`);
  }
  return notes;
}
