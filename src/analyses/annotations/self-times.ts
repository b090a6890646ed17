import type { Trace } from '../../trace/trace.ts';

/**
 * By place in `instances`, which are in order of time: what of an annotation lies in [start, end) and in none that begins inside it on its
 * thread. One that reaches out of another is taken off each for its own part. O(n × depth).
 */
export function selfTimes({ events }: Trace, instances: Int32Array, start: number, end: number): Float64Array {
  const self = new Float64Array(instances.length);
  const open = new Map<number, number[]>();
  const endOf = (place: number): number => events.start[instances[place]] + events.dur[instances[place]];
  const inside = (from: number, to: number): number => Math.max(0, Math.min(to, end) - Math.max(from, start));
  for (let place = 0; place < instances.length; place++) {
    const from = events.start[instances[place]];
    const track = events.track[instances[place]];
    let around = open.get(track);
    if (around === undefined) open.set(track, (around = []));
    while (around.length > 0 && endOf(around[around.length - 1]) <= from) around.pop();
    self[place] = inside(from, endOf(place));
    let at: number = from;
    for (let i = around.length - 1; i >= 0 && at < endOf(place); i--) {
      const to = Math.min(endOf(place), endOf(around[i]));
      if (to <= at) continue;
      self[around[i]] -= inside(at, to);
      at = to;
    }
    around.push(place);
  }
  return self;
}
