import { formatPlural } from '../base/format.ts';
import type { Graph } from '../graph/graph.ts';
import { RowKind } from '../trace/kinds.ts';

/**
 * Why the devices of this trace cannot be explained: it has launches, no device rows of a known category, and rows of a category that
 * may be device work. `undefined` where nothing is amiss.
 */
export function unknownDeviceRows({ trace, device, coverage }: Graph): string | undefined {
  if (device.length > 0 || coverage.launches.total === 0) return undefined;
  const { events, categories } = trace;
  const counts = new Map<string, number>();
  for (let e = 0; e < events.length; e++) {
    const { name, kind } = categories[events.category[e]];
    if (kind === RowKind.unknown || name === 'cuda_profiler_range') counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const found = [...counts].filter(([name]) => name !== '').sort((a, b) => b[1] - a[1]);
  if (found.length === 0) return undefined;
  const named = found
    .map(([name, count]) => `${formatPlural(count, 'row')} of category ${JSON.stringify(name)}`)
    .join(', ');
  const launches = formatPlural(coverage.launches.total, 'launch', 'launches');
  return `no device rows of a known category for ${launches}, but ${named}`;
}
