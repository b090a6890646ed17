/** Lanes of memory, which come after all else. */
import type { MemorySeries } from '../../protocol/calls.ts';
import type { Timeline, TimelineLane } from '../../protocol/timeline.ts';

/** The timeline with a lane for each series, behind its other counters. Rows and events are as they were. */
export function withMemory(timeline: Timeline, series: readonly MemorySeries[]): Timeline {
  const { lanes, counters, counterFirst } = timeline;
  const first = [...counterFirst];
  for (const { timeNs } of series) first.push(first[first.length - 1] + timeNs.length);
  const added = series.map(({ device, nth, bytes }) => ({
    id: `memory ${device}`,
    title: `Memory allocated, ${device}${nth === 1 ? '' : `, one row in ${nth}`}`,
    unit: 'B',
    max: bytes.reduce((most, each) => Math.max(most, each), 0),
  }));
  const behind = lanes.findLastIndex(({ kind }) => kind === 'stream' || kind === 'counter') + 1;
  const firstRow = behind < lanes.length ? lanes[behind].firstRow : lanes.reduce((sum, { rows }) => sum + rows, 0);
  const own = added.map(({ id, title }, i): TimelineLane => ({
    id,
    kind: 'counter',
    title,
    firstRow,
    rows: 0,
    counter: counters.length + i,
  }));
  return {
    ...timeline,
    lanes: [...lanes.slice(0, behind), ...own, ...lanes.slice(behind)],
    counters: [...counters, ...added],
    counterFirst: Int32Array.from(first),
    counterTime: joined(
      timeline.counterTime,
      series.map(({ timeNs }) => timeNs),
    ),
    counterValue: joined(
      timeline.counterValue,
      series.map(({ bytes }) => bytes),
    ),
  };
}

function joined(before: Float64Array, added: readonly (readonly number[])[]): Float64Array<ArrayBuffer> {
  const whole = new Float64Array(added.reduce((sum, { length }) => sum + length, before.length));
  whole.set(before);
  let at = before.length;
  for (const each of added) {
    whole.set(each, at);
    at += each.length;
  }
  return whole;
}
