// (d) The path that the graph walks beside the true one.
import { DataLoading } from '../graph/data-loading.ts';
import type { Graph } from '../graph/graph.ts';
import { annotationLabels, pythonLabels } from '../graph/labels.ts';
import { type Segment, segmentsOf } from '../graph/path-rows.ts';
import { walkPath } from '../graph/path.ts';
import type { SegmentKind } from '../graph/segments.ts';
import { type Window, findWindows, wholeTrace } from '../graph/windows.ts';
import { lastMoment } from '../sim/true-path.ts';
import { TRUE_KINDS, type TrueKind } from '../sim/truth.ts';
import type { Proof } from './proof.ts';

/** Walks back from the end of each window on both sides until they part where they may, and checks the segments up to there. */
export function comparePaths(proof: Proof, graph: Graph): string[] {
  const found = findWindows(graph, { kind: 'default' });
  const whole = wholeTrace(graph);
  if (whole.end === -Infinity) return [];
  const windows = found.ok ? [whole, ...found.windows.filter(({ annotated }) => annotated)] : [whole];
  const { trace } = graph;
  const context = {
    graph,
    loading: new DataLoading(trace, undefined),
    annotations: annotationLabels(trace),
    python: pythonLabels(trace),
  };
  return [
    ...wrongEnd(proof, graph, whole),
    ...windows.flatMap((window) => new PathProof(proof, graph, window).compare(segmentsOf(walkPath(context, window)))),
  ];
}

/** Where nothing was lost, the whole trace ends with what the job ended with. */
function wrongEnd({ sight }: Proof, { host, time }: Graph, { thread, end }: Window): string[] {
  const { items } = sight.truth;
  for (let item = 0; item < items.length; item++) if (sight.plan.itemFate(item) !== 'written') return [];
  // The thread with the most launches is the main thread of a trace, whatever it is called.
  if (thread !== -1 && items.track[sight.itemOfHostOp(host.threads[thread].ops[0])] !== 0) return [];
  const last = lastMoment(sight.truth);
  if (last === -1 || time[sight.momentOf(last)] === end) return [];
  return [`the whole trace ends at ${end}, in truth at ${time[sight.momentOf(last)]}`];
}

/** One step back along the true path, in times of the trace. */
interface Step {
  readonly from: number;
  readonly to: number;
  readonly kind: TrueKind;
  /** Items whose time it may be. */
  readonly items: readonly number[];
}

class PathProof {
  readonly #proof: Proof;
  readonly #graph: Graph;
  readonly #window: Window;

  constructor(proof: Proof, graph: Graph, window: Window) {
    this.#proof = proof;
    this.#graph = graph;
    this.#window = window;
  }

  compare(segments: readonly Segment[]): string[] {
    const { label, start, end } = this.#window;
    const faults: string[] = [];
    let at = start;
    for (const segment of segments) {
      if (segment.start !== at || segment.end <= segment.start) faults.push(`${label}: its segments leave ${at} open`);
      at = segment.end;
    }
    if (at !== end) faults.push(`${label}: its segments end at ${at}, not at ${end}`);
    const steps: Step[] = [];
    faults.push(...this.#walk(steps));
    if (faults.length === 0) faults.push(...this.#compareSegments(steps, segments));
    return faults.map((fault) => `path of ${label}: ${fault}`);
  }

  /** Both paths, as long as they are one. */
  #walk(steps: Step[]): string[] {
    const { sight, counts } = this.#proof;
    const { constraints: truth } = sight.truth;
    const { time, moments, constraints, binding } = this.#graph;
    const last = this.#lastMoment();
    if (last === -1) return [];
    counts.paths++;
    for (let moment = last; ;) {
      if (moments.isJoin(moment)) {
        moment = constraints.from[binding[moment]];
        continue;
      }
      const verdict = time[moment] <= this.#window.start ? undefined : this.#proof.verdictOf(moment);
      if (verdict === undefined) {
        counts.wholePaths++;
        return [];
      }
      counts.pathMoments++;
      const at = sight.trueMoment(moment);
      if (verdict === 'wrong') return [`it goes wrong at ${this.#proof.describe(at)}`];
      if (verdict !== 'same') return [];
      const row = truth.binding[at];
      const kind = TRUE_KINDS[truth.kind[row]];
      const from = truth.from[row];
      const source = constraints.from[binding[moment]];
      const found = sight.trueMoment(source);
      if (sight.trueSource(found | 1) !== sight.trueSource(from | 1)) {
        return [
          `from ${this.#proof.describe(at)} to ${this.#proof.describe(found)}, in truth to ${this.#proof.describe(from)}`,
        ];
      }
      // Of an overlap one side may name the start, the other the end of the op before; of a graph launch each another node.
      if (found !== from) return [];
      counts.pathCompared++;
      steps.push({ from: time[source], to: time[moment], kind, items: this.#ownersOf(at, from, kind) });
      moment = source;
    }
  }

  /** The moment with which the window ends. */
  #lastMoment(): number {
    const { host, moments, time } = this.#graph;
    const { lastOp, thread, end } = this.#window;
    if (lastOp !== -1) return moments.endOfOp(lastOp);
    if (thread === -1) return -1;
    let last = -1;
    for (const moment of host.threads[thread].sequence) if (time[moment] <= end) last = moment;
    return last;
  }

  /** Whose time a step is. Of the host: the op that is open, or in a gap the next one. */
  #ownersOf(at: number, from: number, kind: TrueKind): number[] {
    const { items } = this.#proof.sight.truth;
    if (kind === 'launch') return [at >> 1, from >> 1];
    if (kind !== 'host-order') return [at >> 1];
    let open = (from & 1) === 0 ? from >> 1 : items.parent[from >> 1];
    while (open !== -1 && !this.#proof.sight.isWritten(open)) open = items.parent[open];
    return [open === -1 ? at >> 1 : open];
  }

  #compareSegments(steps: readonly Step[], segments: readonly Segment[]): string[] {
    const { sight } = this.#proof;
    const { trace } = this.#graph;
    const faults: string[] = [];
    let s = segments.length - 1;
    for (const step of steps) {
      while (s >= 0 && segments[s].start >= step.to) s--;
      for (let i = s; i >= 0 && segments[i].end > step.from; i--) {
        const { kind, event, start, end } = segments[i];
        if (start < Math.max(step.from, this.#window.start) || end > step.to) {
          faults.push(`the segment from ${start} to ${end} lies across ${step.from} to ${step.to}`);
          continue;
        }
        if (step.kind === 'thread') continue;
        const item = event < 0 ? -1 : sight.itemOfEvent(event);
        if (!step.items.includes(item) || !KINDS[step.kind].includes(kind)) {
          faults.push(
            `${kind} from ${start} to ${end} of ${event < 0 ? 'nothing' : trace.strings.text(trace.events.name[event])}: in truth ${step.kind}`,
          );
        }
      }
    }
    return faults;
  }
}

const HOST: readonly SegmentKind[] = ['host-work', 'host-gap', 'data-loading', 'sync-overhead'];
const GAP: readonly SegmentKind[] = ['stream-gap'];
const SYNC: readonly SegmentKind[] = ['sync-overhead'];
const WORK: readonly SegmentKind[] = ['kernel', 'copy', 'collective'];

/** What each constraint's time may be called. Nothing that is true is unexplained. */
const KINDS: Readonly<Record<TrueKind, readonly SegmentKind[]>> = {
  launch: ['launch', ...HOST],
  'stream-order': GAP,
  'stream-wait': GAP,
  'event-sync': SYNC,
  'stream-sync': SYNC,
  'device-sync': SYNC,
  'copy-sync': SYNC,
  'host-order': HOST,
  thread: HOST,
  collective: WORK,
  graph: GAP,
  overlap: WORK,
  'queue-full': SYNC,
  own: WORK,
};
