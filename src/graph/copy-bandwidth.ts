import { lowerBound } from '../base/bisect.ts';
import type { Graph } from './graph.ts';
import { type StepSeries, sumOf } from './step-series.ts';

/** Copies or fills of one kind on one device. */
export interface CopyKind {
  /** `Memcpy HtoD`, `Memset`; the whole name where it is no such name. */
  readonly name: string;
  readonly device: number;
  /** Device ops, by start. */
  readonly ops: Int32Array;
  /** GB/s (1e9 bytes a second) by place in `ops`, ≥ 0; NaN where neither the row nor its bytes and its length tell it. */
  readonly gbps: Float64Array;
  /** Bytes by place in `ops`, ≥ 0; NaN where the row has none. */
  readonly bytes: Float64Array;
  /** By place in `ops`: 1 where the row has a negative bandwidth or negative bytes, of which no use is made. */
  readonly isDamaged: Uint8Array;
  /** Sum over what runs at an instant, in GB/s. */
  readonly series: StepSeries;
}

/** All ops of the class `copy` by kind and device, in the order in which each first ran. */
export function copyKinds({ trace, device, classOf }: Pick<Graph, 'trace' | 'device' | 'classOf'>): CopyKind[] {
  const { events, strings } = trace;
  const members = new Map<string, { name: string; device: number; ops: number[] }>();
  for (let op = 0; op < device.length; op++) {
    if (classOf[op] !== 'copy') continue;
    const name = kindName(strings.text(events.name[device.event[op]]));
    const on = device.lanes[device.lane[op]].device;
    const key = `${on} ${name}`;
    const known = members.get(key);
    if (known === undefined) members.set(key, { name, device: on, ops: [op] });
    else known.ops.push(op);
  }
  return [...members.values()].map((each): CopyKind => {
    const ops = Int32Array.from(each.ops);
    const rows = Int32Array.from(ops, (op) => sideRow(trace.device.event, device.event[op]));
    const isDamaged = Uint8Array.from(rows, (row) =>
      row !== -1 && (trace.device.bytes[row] < 0 || trace.device.bandwidth[row] < 0) ? 1 : 0,
    );
    const bytes = Float64Array.from(rows, (row) => notNegative(row === -1 ? NaN : trace.device.bytes[row]));
    const gbps = Float64Array.from(rows, (row, i) => {
      const written = notNegative(row === -1 ? NaN : trace.device.bandwidth[row]);
      if (Number.isFinite(written)) return written;
      const length = device.end[ops[i]] - device.start[ops[i]];
      return length > 0 ? bytes[i] / length : NaN;
    });
    return { name: each.name, device: each.device, ops, bytes, gbps, isDamaged, series: totalOf(device, ops, gbps) };
  });
}

const notNegative = (value: number): number => (value < 0 ? NaN : value);

function totalOf({ start, end }: Graph['device'], ops: Int32Array, gbps: Float64Array): StepSeries {
  const told = ops.map((_, i) => i).filter((i) => !Number.isNaN(gbps[i]) && end[ops[i]] > start[ops[i]]);
  return sumOf(
    Float64Array.from(told, (i) => start[ops[i]]),
    Float64Array.from(told, (i) => end[ops[i]]),
    Float64Array.from(told, (i) => gbps[i]),
  );
}

function kindName(name: string): string {
  const [, what, direction] = /^(?:hip)?(Memcpy|Memset)\b(?: (\w+))?/.exec(name) ?? [];
  if (what === undefined) return name;
  return what === 'Memset' || direction === undefined ? what : `${what} ${direction}`;
}

function sideRow(event: Graph['trace']['device']['event'], wanted: number): number {
  const row = lowerBound(event, wanted);
  return row < event.length && event[row] === wanted ? row : -1;
}

/** What the series of a kind of copy is called. */
export const bandwidthName = ({ name, device }: Pick<CopyKind, 'name' | 'device'>): string =>
  `${name} GB/s of device ${device}`;
