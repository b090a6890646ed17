import type { Graph } from '../graph/graph.ts';

/** What a reader should know of the graph before trusting an answer from it: what is missing, and what stands in for it. */
export function coverageNotes({ coverage, device, calls, edges, graphLaunches, options }: Graph): string[] {
  const notes: string[] = [];
  const { launches, deviceOps, waits, syncRows, inversions } = coverage;
  if (device.length === 0) notes.push('the trace has no device rows: only the host is explained');
  if (device.length > 0 && syncRows.total === 0) {
    const spans = edges.filter((edge) => edge.status === 'heuristic:call-span').length;
    notes.push(
      `the trace has no cuda_sync rows: waits between streams are not known, and ${spans} synchronising calls are ` +
        'joined to the op that ended last inside them (heuristic:call-span)',
    );
  }
  if (launches.linked < launches.total && device.length > 0) {
    notes.push(`${launches.total - launches.linked} of ${launches.total} launch calls have no device row`);
  }
  if (deviceOps.linked < deviceOps.total) {
    notes.push(`${deviceOps.total - deviceOps.linked} of ${deviceOps.total} device ops have no launch call`);
  }
  if (waits.unresolved + waits.future > 0) {
    notes.push(`${waits.unresolved + waits.future} of ${waits.total} wait rows name no usable record`);
  }
  if (waits.callsWithoutRow > 0 && syncRows.total > 0) {
    notes.push(`${waits.callsWithoutRow} wait calls have no row: waits between streams may be missing`);
  }
  if (inversions.count > 0) {
    notes.push(`the clock contradicts ${inversions.count} constraints, by up to ${inversions.maxNs} ns`);
  }
  if (graphLaunches.list.length > 0) {
    notes.push(
      `${graphLaunches.list.length} graph launches: the trace does not hold the order of their nodes, ` +
        'so each follows the node that ended last before it began (heuristic:graph-order)',
    );
  }
  if (options.legacyDefaultStream) {
    notes.push('all streams are assumed to block on the legacy default stream (heuristic:legacy-default-stream)');
  }
  if (calls.byClock) notes.push('correlation ids do not rise on the threads: calls are ordered by their start');
  return notes;
}
