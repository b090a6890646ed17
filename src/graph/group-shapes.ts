import { lowerBound } from '../base/bisect.ts';
import { NO_STRING } from '../trace/ids.ts';
import type { GatheredCall } from './collective-calls.ts';
import { listOf } from './dtype.ts';
import type { Graph } from './graph.ts';

/** Ops of which the one tensor is as large as all members' others together: output and input, in that order. */
const GATHERS = /^c10d::_?allgather_(base|into_tensor)/;
const SCATTERS = /^c10d::_?reduce_scatter_(base|tensor)/;
/** Between such an op and the launch lie a record and, in some versions, a wrapper. */
const MOST_PARENTS = 8;

/** How many ranks take part, from the shapes of the c10d op around the launch; `undefined` where it does not tell. */
export function membersByShapes({ trace, host }: Graph, { launch }: Pick<GatheredCall, 'launch'>): number | undefined {
  const { events, strings, ops } = trace;
  let op = launch;
  for (let i = 0; i < MOST_PARENTS && op !== -1; i++, op = host.parent[op]) {
    const event = host.event[op];
    const name = strings.text(events.name[event]);
    const isGather = GATHERS.test(name);
    if (!isGather && !SCATTERS.test(name)) continue;
    const row = lowerBound(ops.event, event);
    if (row >= ops.event.length || ops.event[row] !== event || ops.inputDims[row] === NO_STRING) return undefined;
    const shapes = listOf(strings.text(ops.inputDims[row]));
    const [output, input] = [elementsOf(shapes?.[0]), elementsOf(shapes?.[1])];
    const members = isGather ? output / input : input / output;
    return Number.isSafeInteger(members) && members > 0 ? members : undefined;
  }
  return undefined;
}

/** NaN of what is no shape. */
function elementsOf(shape: unknown): number {
  if (!Array.isArray(shape) || shape.length === 0) return Number.NaN;
  return (shape as unknown[]).reduce<number>(
    (product, each) => product * (typeof each === 'number' ? each : Number.NaN),
    1,
  );
}
