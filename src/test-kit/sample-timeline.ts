import type { LaneKind, Timeline } from '../protocol/timeline.ts';

interface SampleOptions {
  /** Events whose time the path is, in order of time. */
  readonly path?: readonly number[];
  /** Without them, one lane with all rows. */
  readonly lanes?: readonly { readonly id: string; readonly kind: LaneKind; readonly rows: number }[];
  readonly counter?: readonly (readonly [time: number, value: number])[];
  readonly names?: readonly string[];
  /** By event: codes of `EVENT_KINDS`. */
  readonly kinds?: readonly number[];
}

/** A timeline of rows of [start, end]; the position of an event in the file is its number, and its name too without `names`. */
export function sampleTimeline(
  rows: readonly (readonly (readonly [start: number, end: number])[])[],
  { path = [], lanes, counter = [], names, kinds }: SampleOptions = {},
): Timeline {
  const all = rows.flat();
  const rowFirst = [0];
  for (const row of rows) rowFirst.push(rowFirst[rowFirst.length - 1] + row.length);
  const known = path.filter((event) => event < all.length);
  let firstRow = 0;
  return {
    schema: 'longpole.timeline/1',
    file: 'sample.json',
    startNs: Math.min(0, ...(all.length > 9 ? [] : all.map(([start]) => start))),
    endNs: all.reduce((most, [, end]) => Math.max(most, end), 0),
    leftOut: { withoutLength: 0, withoutTime: 0 },
    lanes: (lanes ?? [{ id: 't-1.1', kind: 'host', rows: rows.length }]).map((lane) => {
      const placed = { ...lane, title: lane.id, firstRow };
      firstRow += lane.rows;
      return placed;
    }),
    counters: [
      { id: 'queue', title: 'Queue', unit: 'ops', max: counter.reduce((most, [, v]) => Math.max(most, v), 0) },
    ],
    windows: [],
    segmentKinds: ['kernel'],
    boundBy: ['launch'],
    names: names ?? all.slice(0, 100).map((_, e) => `event ${e}`),
    count: new Int32Array(0),
    pathCount: new Int32Array(0),
    covered: new Float64Array(0),
    start: Float64Array.from(all, ([start]) => start),
    end: Float64Array.from(all, ([, end]) => end),
    pathStart: Float64Array.from(known, (event) => all[event][0]),
    pathEnd: Float64Array.from(known, (event) => all[event][1]),
    counterTime: Float64Array.from(counter, ([time]) => time),
    counterValue: Float64Array.from(counter, ([, value]) => value),
    rowFirst: Int32Array.from(rowFirst),
    name: Int32Array.from(all, (_, e) => Math.min(e, (names?.length ?? 100) - 1)),
    position: Int32Array.from(all, (_, e) => e),
    pathPosition: Int32Array.from(known),
    counterFirst: Int32Array.of(0, counter.length),
    kind: Uint8Array.from(all, (_, e) => kinds?.[e] ?? 0),
    pathKind: new Uint8Array(known.length),
    pathBoundBy: new Uint8Array(known.length),
  };
}
