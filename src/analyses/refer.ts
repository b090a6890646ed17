import type { Graph } from '../graph/graph.ts';
import type { EventReference } from './reference.ts';

/** How an event of the trace is named in results. */
export function referTo({ trace, device, threadNames }: Graph, event: number): EventReference {
  const { events, strings } = trace;
  const op = device.opOfEvent[event];
  const correlation = events.correlation[event];
  const position = events.position[event];
  const name = strings.text(events.name[event]);
  const lane = op === -1 ? threadNames[events.track[event]] : device.lanes[device.lane[op]].name;
  return correlation > 0 ? { event: position, name, correlation, lane } : { event: position, name, lane };
}
