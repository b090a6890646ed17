import { OWN } from '../../graph/constraint-set.ts';
import { kindCode } from '../../graph/constraints.ts';
import { graphOptionsOf } from '../../graph/graph-options.ts';
import type { Graph } from '../../graph/graph.ts';
import { termsOfWindows } from '../../graph/instants.ts';
import { latestMoments, slackOf } from '../../graph/slack.ts';
import { type Window, findWindows } from '../../graph/windows.ts';
import type { Outcome, Subject } from '../contract.ts';
import { coverageNotes } from '../notes.ts';
import { type ChainContext, kindOf, walkChain } from './chain.ts';
import { findEvent } from './find-event.ts';
import { type BoundMoments, boundMoments, heldBy } from './holds.ts';
import type { ExplainOptions } from './options.ts';
import { Places } from './places.ts';
import { rivalsOf } from './rivals.ts';
import type { ExplainResult, ExplainedEvent } from './result.ts';
import { edgesOfCall } from './waits.ts';

/** Why an event began when it did, and why it ended where that was not its own doing: the chain of causes. */
export function computeExplain(subject: Subject, options: ExplainOptions): Outcome<ExplainResult> {
  const { trace } = subject;
  if (trace.events.length === 0) return { status: 'not-applicable', reason: 'the trace has no events' };
  const graph = subject.graph(graphOptionsOf(options));
  const found = findEvent(graph, options.event);
  if (!found.ok) return { status: 'not-applicable', reason: found.reason };
  const { event } = found;
  const stories = storiesOf(subject, options, graph);
  const { places, windows } = stories;
  const [start, end] = places.momentsOf(event);
  const context: ChainContext = { graph, places, since: windowAround(windows, graph.time[start]) };
  const { links, end: chainEnd } = walkChain(context, start, options.links);
  const waited = endIsHeld(graph, end);
  const edges = isHost(graph, event) ? edgesOfCall(graph, places, trace.events.correlation[event]) : [];
  return {
    status: 'ok',
    result: {
      event: eventOf(context, event, stories),
      ...(found.asked === undefined ? {} : { asked: places.refer(found.asked) }),
      chain: links,
      chainEnd,
      ...(waited ? { ended: walkChain(context, end, ownCourse(graph, end) ? 1 : options.links) } : {}),
      rivals: (waited ? [start, end] : [start]).flatMap((moment) => rivalsOf(context, moment)),
      holds: heldBy(context, stories.bound, event),
      ...(edges.length === 0 ? {} : { edges }),
      coverage: graph.coverage,
      notes: [...(found.note === undefined ? [] : [found.note]), ...coverageNotes(graph)],
    },
  };
}

/** What every event's story is told with. */
interface Stories {
  readonly places: Places;
  readonly bound: BoundMoments;
  readonly windows: readonly Window[];
  /** By moment: when it may come at the latest, before the end of the last window moves; absent where that does not depend on moments. */
  readonly latest?: Float64Array;
}

/** Made once: it takes a look at all events. */
const storiesOf = (subject: Subject, options: ExplainOptions, graph: Graph): Stories =>
  subject.once(`explain ${JSON.stringify(graphOptionsOf(options))}`, () => {
    const windows = defaultWindows(graph);
    const terms = termsOfWindows(graph, windows)?.at(-1);
    const latest = terms === undefined ? {} : { latest: latestMoments(graph, terms.end) };
    return { places: new Places(graph), bound: boundMoments(graph), windows, ...latest };
  });

const isHost = ({ host }: Graph, event: number): boolean => host.opOfEvent[event] !== -1;

/** Does anything but the event's own length, or what came before on its thread, hold its end? */
function endIsHeld({ constraints }: Graph, end: number): boolean {
  const { first, kind } = constraints;
  for (let c = first[end]; c < first[end + 1]; c++) if (kind[c] !== OWN && kind[c] !== HOST_ORDER) return true;
  return false;
}

const HOST_ORDER = kindCode('host-order');
const ownCourse = (graph: Graph, end: number): boolean =>
  graph.constraints.kind[graph.binding[end]] === OWN || kindOf(graph, graph.binding[end]) === 'host-order';

function defaultWindows(graph: Graph): readonly Window[] {
  const found = findWindows(graph, { kind: 'default' });
  return found.ok ? found.windows : [];
}

const wordsOf = (label: string): string => (label === 'whole trace' ? 'the trace' : label);

function windowAround(windows: readonly Window[], time: number): ChainContext['since'] {
  const around = windows.find(({ start, end }) => start <= time && time <= end);
  return around === undefined ? { time: -Infinity, label: 'the trace' } : { time: around.start, label: around.label };
}

function eventOf({ graph, places }: ChainContext, event: number, stories: Stories): ExplainedEvent {
  const { trace, host, device, launches } = graph;
  const [start, end] = places.momentsOf(event);
  const op = host.opOfEvent[event];
  const call = op === -1 ? device.call[device.opOfEvent[event]] : -1;
  const caller = op === -1 ? call : op;
  const track = caller === -1 ? undefined : trace.events.track[host.event[caller]];
  const annotation = track === undefined ? undefined : places.annotationAt(track, host.start[caller]);
  const step = places.stepAt(caller === -1 ? graph.time[start] : host.start[caller]);
  const launched = op === -1 ? [] : Array.from(launches.ops.subarray(launches.first[op], launches.first[op + 1]));
  return {
    ...places.placed(event),
    kind: op === -1 ? 'device-op' : 'host-op',
    startNs: graph.time[start],
    endNs: graph.time[end],
    ...(call === -1
      ? {}
      : { launch: { ...places.placed(host.event[call]), startNs: host.start[call], endNs: host.end[call] } }),
    ...(launched.length === 0 ? {} : { launched: launched.map((each) => places.refer(device.event[each])) }),
    ...(annotation === undefined ? {} : { annotation }),
    ...(step === undefined ? {} : { step }),
    ...slackIn(graph, stories, end),
  };
}

/** Against the end of the last default window; absent where that does not depend on the event. */
function slackIn(graph: Graph, { windows, latest }: Stories, end: number): { slackNs?: number; window?: string } {
  const [first, last] = [windows[0], windows[windows.length - 1]];
  if (first === undefined || last === undefined || latest === undefined) return {};
  const slackNs = slackOf(graph, latest, end);
  const window = wordsOf(first === last ? first.label : `${first.label}..${last.label}`);
  return slackNs === Infinity ? {} : { slackNs, window };
}
