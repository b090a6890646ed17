// A small machine that runs a list of host calls and draws what a profiler would have seen, with the waits that it obeyed. Calls start
// in list order over all threads; a launch takes a few µs to reach its lane; a lane runs its ops one after the other.

export interface Step {
  readonly thread: number;
  readonly kind: 'op' | 'launch' | 'copy' | 'fetch' | 'record' | 'wait' | 'event-sync' | 'stream-sync' | 'device-sync';
  /** The lane that the call is about; its device for `device-sync`. An index into `LANES`, taken modulo its length. */
  readonly lane: number;
  readonly event: number;
  /** Between the thread's call before (or any thread's call start) and this one. */
  readonly gapNs: number;
  readonly callNs: number;
  readonly lagNs: number;
  readonly runNs: number;
}

export interface Program {
  readonly steps: readonly Step[];
  /** Writes `cuda_event` rows. */
  readonly recordRows: boolean;
  /** Puts an unrelated launch of another thread after the calls of these indices: on a device of its own, and on a free stream. */
  readonly unrelatedAfter?: readonly number[];
}

export interface Run {
  readonly drawing: string;
  /** `wait W: source -> sink`: a stream wait, an op of another lane that it waited for, and the next op on its own. */
  readonly waits: readonly string[];
  /** `sync C: source`: the last op on the lane of a stream synchronisation. */
  readonly syncs: readonly string[];
}

/** Stream numbers differ between devices, since without record rows a trace does not say which device is meant. */
export const LANES = [
  { device: 0, stream: 7 },
  { device: 0, stream: 20 },
  { device: 1, stream: 27 },
  { device: 1, stream: 40 },
] as const;
const UNRELATED = ['5.99', '0.99'] as const;
const ID_STEP = 10;

interface Lane {
  readonly name: string;
  readyNs: number;
  /** Ops that whatever is enqueued next comes after. */
  sources: Sources;
  lastOp: string | undefined;
  openWaits: { readonly id: number; readonly sources: Sources }[];
}

/** By lane that it ran on, the last op: the id of its launch. A lane is in order, so of one lane only the last op counts. */
type Sources = ReadonlyMap<Lane, { readonly op: string; readonly id: number }>;

interface Recorded {
  readonly id: number;
  readonly lane: number;
  readonly doneNs: number;
  readonly sources: Sources;
}

export function runProgram({ steps, recordRows, unrelatedAfter = [] }: Program): Run {
  const rows = new Map<string, string[]>();
  const lanes = LANES.map(({ device, stream }) => emptyLane(`${device}.${stream}`));
  const events = new Map<number, Recorded>();
  const clock = new Map<number, number>();
  const waits: string[] = [];
  const syncs: string[] = [];
  let lastStart = 0;

  steps.forEach((step, n) => {
    const id = (n + 1) * ID_STEP;
    const start = Math.max(clock.get(step.thread) ?? 0, lastStart) + step.gapNs;
    lastStart = start;
    clock.set(step.thread, start + runStep(step, id, start));
  });
  addUnrelated(Math.max(...lanes.map(({ readyNs }) => readyNs)));
  return { drawing: [...rows].map(([track, items]) => `${track} | ${items.join(' ')}`).join('\n'), waits, syncs };

  /** How long the call takes. */
  function runStep(step: Step, id: number, start: number): number {
    const at = step.lane % LANES.length;
    const lane = lanes[at] as Lane;
    const place = LANES[at] as (typeof LANES)[number];
    const recorded = events.get(step.event);
    switch (step.kind) {
      case 'op':
        return call(step, 'aten::op', undefined, start);
      case 'launch':
        enqueue(lane, `k${id}`, id, start + step.lagNs, step.runNs);
        return call(step, 'cudaLaunchKernel', id, start);
      case 'copy':
        enqueue(lane, 'Memcpy HtoD (Pinned -> Device)', id, start + step.lagNs + step.callNs, step.runNs);
        return call(step, 'cudaMemcpyAsync', id, start);
      case 'fetch':
        enqueue(lane, 'Memcpy DtoH (Device -> Pageable)', id, start + step.lagNs, step.runNs);
        return call(step, 'cudaMemcpyAsync', id, start, lane.readyNs);
      case 'record':
        events.set(step.event, { id, lane: at, doneNs: lane.readyNs, sources: lane.sources });
        if (recordRows) draw(`record ${place.device}`, `#${id}{stream=${place.stream},event=${step.event}}`);
        return call(step, 'cudaEventRecord', id, start);
      case 'wait': {
        draw(`sync ${place.device}`, `StreamWait#${id}{stream=${place.stream},${waitArgs(step.event, recorded)}}`);
        if (recorded !== undefined && recorded.lane !== at) {
          lane.readyNs = Math.max(lane.readyNs, recorded.doneNs);
          lane.sources = latest(lane.sources, recorded.sources);
          lane.openWaits.push({ id, sources: recorded.sources });
        }
        return call(step, 'cudaStreamWaitEvent', id, start);
      }
      case 'event-sync':
        draw(`sync 0`, `EventSync#${id}{${waitArgs(step.event, recorded)}}`);
        return call(step, 'cudaEventSynchronize', id, start, recorded?.doneNs);
      case 'stream-sync':
        draw(`sync ${place.device}`, `StreamSync#${id}{stream=${place.stream}}`);
        if (lane.lastOp !== undefined) syncs.push(`sync ${id}: ${lane.lastOp}`);
        return call(step, 'cudaStreamSynchronize', id, start, lane.readyNs);
      case 'device-sync': {
        draw(`sync ${place.device}`, `ContextSync#${id}`);
        const own = lanes.filter((_, other) => LANES[other]?.device === place.device);
        return call(step, 'cudaDeviceSynchronize', id, start, Math.max(...own.map(({ readyNs }) => readyNs)));
      }
    }
  }

  function enqueue(lane: Lane, name: string, id: number, reachesNs: number, runNs: number): void {
    const op = `${name}#${id}`;
    // A lane needs a moment between two ops, a little different each time, so that no two constraints arrive together.
    const start = Math.max(reachesNs, lane.readyNs + 700 + id);
    draw(`gpu ${lane.name}`, span(name, id, start, runNs));
    for (const wait of lane.openWaits) {
      for (const [ranOn, source] of wait.sources) {
        if (ranOn !== lane) waits.push(`wait ${wait.id}: ${source.op} -> ${op}`);
      }
    }
    Object.assign(lane, { readyNs: start + runNs, sources: new Map([[lane, { op, id }]]), lastOp: op, openWaits: [] });
  }

  /** Draws the call; one that waits for the device returns at least 1 µs after `untilNs`. */
  function call(step: Step, name: string, id: number | undefined, start: number, untilNs = 0): number {
    const dur = Math.max(step.callNs, untilNs === 0 ? 0 : untilNs + 1000 + step.callNs - start);
    draw(`cpu ${step.thread}`, span(name, id, start, dur));
    return dur;
  }

  function draw(track: string, item: string): void {
    const items = rows.get(track) ?? [];
    items.push(item);
    rows.set(track, items);
  }

  /** Only what ends before the program's device work does: the window of the trace stays the same. */
  function addUnrelated(endNs: number): void {
    const ready = new Map<string, number>();
    for (const n of [...new Set(unrelatedAfter)].sort((a, b) => a - b)) {
      const before = (rows.get(`cpu ${steps[n]?.thread}`) ?? []).find((item) =>
        item.includes(`#${(n + 1) * ID_STEP}@`),
      );
      const lane = UNRELATED[n % 2] ?? UNRELATED[0];
      const called = Number(/@(\d+)ns/.exec(before ?? '')?.[1] ?? Infinity) + 20;
      const start = Math.max(called + 5000, (ready.get(lane) ?? 0) + 1500);
      // A device synchronisation would wait for it, too.
      const isSynced = lane.startsWith('0.') && steps.some(({ kind }) => kind === 'device-sync');
      if (start + 1000 >= endNs || isSynced) continue;
      ready.set(lane, start + 1000);
      draw('cpu 9', span('cudaLaunchKernel', (n + 1) * ID_STEP + 5, called, 10));
      draw(`gpu ${lane}`, span('unrelated', (n + 1) * ID_STEP + 5, start, 1000));
    }
  }
}

const emptyLane = (name: string): Lane => ({ name, readyNs: 0, sources: new Map(), lastOp: undefined, openWaits: [] });

function latest(first: Sources, second: Sources): Sources {
  const merged = new Map(first);
  for (const [lane, source] of second) if (source.id > (merged.get(lane)?.id ?? 0)) merged.set(lane, source);
  return merged;
}

const span = (name: string, id: number | undefined, start: number, dur: number): string =>
  `${name}${id === undefined ? '' : `#${id}`}@${start}ns+${dur}ns`;

function waitArgs(event: number, recorded: Recorded | undefined): string {
  if (recorded === undefined) return `on=-1,record=-1,event=${event}`;
  return `on=${LANES[recorded.lane]?.stream},record=${recorded.id},event=${event}`;
}
