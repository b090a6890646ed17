import type { Graph } from '../../graph/graph.ts';
import { endOf, startOf } from '../../graph/host.ts';
import { type Labels, annotationLabels, pythonLabels } from '../../graph/labels.ts';
import { findSteps } from '../../graph/steps.ts';
import { RowKind } from '../../trace/kinds.ts';
import { referTo } from '../refer.ts';
import type { EventReference } from '../reference.ts';
import type { MomentName, PlacedEvent } from './result.ts';

/** A line of a source file that is neither the framework's nor the language's own. */
const USER_FRAME = /\.pyx?\(\d+\)/;
const LIBRARY_FRAME =
  /(^|[/\\])(torch|torchvision|triton|site-packages|dist-packages|python\d[\d.]*)[/\\]|^(contextlib|functools|runpy|threading)\.py\(/;

/** Says of events and instants where in the program they are. Labels are built once: O(events). */
export class Places {
  readonly #graph: Graph;
  readonly #python: Labels;
  readonly #annotations: Labels;
  readonly #steps: readonly { readonly label: string; readonly start: number; readonly end: number }[];

  constructor(graph: Graph) {
    this.#graph = graph;
    this.#python = pythonLabels(graph.trace);
    this.#annotations = annotationLabels(graph.trace);
    this.#steps = findSteps(graph);
  }

  refer(event: number): EventReference {
    return referTo(this.#graph, event);
  }

  placed(event: number): PlacedEvent {
    const { trace, host } = this.#graph;
    const op = host.opOfEvent[event];
    if (op === -1) return this.refer(event);
    const around = this.#operatorAround(op);
    const python = this.frameAt(trace.events.track[event], host.start[op]);
    return {
      ...this.refer(event),
      ...(around === -1 ? {} : { op: this.refer(host.event[around]) }),
      ...(python === undefined ? {} : { python }),
    };
  }

  momentsOf(event: number): [start: number, end: number] {
    const { host, device, moments } = this.#graph;
    const op = host.opOfEvent[event];
    if (op !== -1) return [startOf(op), endOf(op)];
    return [moments.startOfOp(device.opOfEvent[event]), moments.endOfOp(device.opOfEvent[event])];
  }

  eventOfMoment(moment: number): number {
    const { moments, host, device } = this.#graph;
    return moments.isHost(moment) ? host.event[moments.hostOp(moment)] : device.event[moments.deviceOp(moment)];
  }

  momentName(moment: number): MomentName {
    return this.#graph.moments.isStart(moment) ? 'start' : 'end';
  }

  #operatorAround(op: number): number {
    const { trace, host } = this.#graph;
    let around = host.parent[op];
    while (around !== -1 && trace.categories[trace.events.category[host.event[around]]].kind !== RowKind.op) {
      around = host.parent[around];
    }
    return around;
  }

  /** The frame of the user's own code, else the innermost one. */
  frameAt(track: number, time: number): string | undefined {
    const names = this.#namesAround(this.#python, track, time);
    return names.find((name) => USER_FRAME.test(name) && !LIBRARY_FRAME.test(name)) ?? names[0];
  }

  /** Of the user's annotations the innermost that is no step. */
  annotationAt(track: number, time: number): string | undefined {
    return this.#namesAround(this.#annotations, track, time).find((name) => !/^ProfilerStep\s*#\d+$/.test(name));
  }

  stepAt(time: number): string | undefined {
    return this.#steps.find(({ start, end }) => start <= time && time < end)?.label;
  }

  /** Names of the rows that cover an instant, the innermost first. */
  #namesAround(labels: Labels, track: number, time: number): string[] {
    const { events, strings } = this.#graph.trace;
    const names: string[] = [];
    let since = time + 1;
    for (;;) {
      const row = labels.innermostAt(track, since - 1);
      if (row === -1 || events.start[row] >= since) return names;
      // A neighbour that was over by then covers the look-up, not the instant.
      if (events.start[row] + events.dur[row] > time) names.push(strings.text(events.name[row]));
      since = events.start[row];
    }
  }
}
