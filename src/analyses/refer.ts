import type { Graph } from '../graph/graph.ts';
import type { EventReference } from './reference.ts';

/** How an event of the trace is named in results. */
export function referTo({ trace, device }: Graph, event: number): EventReference {
  const { events, strings, tracks } = trace;
  const op = device.opOfEvent[event];
  const track = tracks[events.track[event]];
  const correlation = events.correlation[event];
  return {
    event: events.position[event],
    name: strings.text(events.name[event]),
    ...(correlation > 0 ? { correlation } : {}),
    lane: op === -1 ? `t-${track.pid}.${track.tid}` : device.lanes[device.lane[op]].name,
  };
}
