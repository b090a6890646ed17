import { formatCount, formatDur, formatPlural } from '../base/format.ts';
import type { DeviceIndex } from '../graph/device.ts';
import type { Graph } from '../graph/graph.ts';
import type { SyncIndex } from '../graph/sync-edges.ts';
import type { Window } from '../graph/windows.ts';

/** What a reader should know of the graph before trusting an answer from it: what is missing, and what stands in for it. */
export function coverageNotes({ coverage, device, calls, edges, graphLaunches, options, sync }: Graph): string[] {
  const notes: string[] = [];
  const { launches, deviceOps, waits, syncRows, inversions } = coverage;
  if (device.length === 0) notes.push('the trace has no device rows: only the host is explained');
  if (device.length > 0 && syncRows.total === 0) {
    const spans = edges.filter((edge) => edge.status === 'heuristic:call-span').length;
    const joined =
      `${formatPlural(spans, 'synchronising call is', 'synchronising calls are')} joined to the op that ended last ` +
      `inside ${spans === 1 ? 'it' : 'them'} (heuristic:call-span)`;
    notes.push(
      `the trace has no cuda_sync rows: waits between streams are not known${spans > 0 ? `, and ${joined}` : ''}`,
    );
  }
  if (launches.linked < launches.total && device.length > 0) {
    notes.push(`${shareText(launches.total - launches.linked, launches.total, 'launch call')} no device row`);
  }
  if (deviceOps.linked < deviceOps.total) {
    notes.push(`${shareText(deviceOps.total - deviceOps.linked, deviceOps.total, 'device op')} no launch call`);
  }
  if (waits.unresolved + waits.future > 0) {
    const unsettled = waits.unresolved + waits.future;
    notes.push(
      `${formatCount(unsettled)} of ${formatPlural(waits.total, 'wait row')} ${unsettled === 1 ? 'names' : 'name'} no usable record`,
    );
  }
  if (waits.callsWithoutRow > 0 && syncRows.total > 0) {
    const calls = formatPlural(waits.callsWithoutRow, 'wait call has', 'wait calls have');
    notes.push(`${calls} no row: waits between streams may be missing`);
  }
  const idle = rowsOfIdleDevices(sync, device);
  if (idle > 0) {
    const rows = formatPlural(idle, 'synchronisation row names', 'synchronisation rows name');
    notes.push(`${rows} a device that has no work in the trace`);
  }
  if (inversions.count > 0) {
    const constraints = formatPlural(inversions.count, 'constraint');
    notes.push(`the clock contradicts ${constraints}, by up to ${formatDur(inversions.maxNs)}`);
  }
  if (graphLaunches.list.length > 0) {
    notes.push(
      `${formatPlural(graphLaunches.list.length, 'graph launch', 'graph launches')}: the trace does not hold the order of ` +
        `${graphLaunches.list.length === 1 ? 'its' : 'their'} nodes, ` +
        'so each follows the node that ended last before it began (heuristic:graph-order)',
    );
  }
  if (options.legacyDefaultStream) {
    notes.push('all streams are assumed to block on the legacy default stream (heuristic:legacy-default-stream)');
  }
  if (calls.byClock) notes.push('correlation ids do not rise on the threads: calls are ordered by their start');
  return notes;
}

/** Some writers put device 0 where they do not know it: what such a row waits for is then not found. */
function rowsOfIdleDevices({ waits }: SyncIndex, { lanes }: DeviceIndex): number {
  if (lanes.length === 0) return 0;
  const busy = new Set(lanes.map((lane) => lane.device));
  return waits.filter((wait) => wait.device >= 0 && !busy.has(wait.device)).length;
}

/** `1 of 5 launch calls has`, `2 of 5 launch calls have`. */
const shareText = (part: number, whole: number, one: string): string =>
  `${formatCount(part)} of ${formatPlural(whole, one)} ${part === 1 ? 'has' : 'have'}`;

/** Windows tile, so that what lies between steps is a window too: said where totals over all windows have it. */
export function betweenStepsNotes({ windows }: { readonly windows: readonly Window[] }): string[] {
  const betweenNs = windows.reduce(
    (sum, { bounds, start, end }) => sum + (bounds.kind === 'between' ? end - start : 0),
    0,
  );
  return betweenNs > 0 ? [`${formatDur(betweenNs)} lie between steps, in none of them: the totals have them too`] : [];
}
