import { type DeviceTime, deviceTimes } from '../graph/device-time.ts';
import { type GraphOptions, graphOptionsOf } from '../graph/graph-options.ts';
import type { Subject } from './contract.ts';

/** When each device worked, made once for all analyses that ask. */
export function deviceTimesOf(subject: Subject, options: GraphOptions): readonly DeviceTime[] {
  const asked = graphOptionsOf(options);
  return subject.once(`device times ${JSON.stringify(asked)}`, () => deviceTimes(subject.graph(asked)));
}
