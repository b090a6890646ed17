import { lowerBound } from '../base/bisect.ts';
import type { DeviceIndex } from './device.ts';
import { lastBefore } from './device.ts';
import type { GraphLaunches } from './graph-launch.ts';
import type { LostLaunches } from './lost-launches.ts';
import type { RacingCalls } from './racing.ts';

/** A device op that a record, a wait or a synchronising call takes as done. */
export interface Source {
  /** Device op. For a graph launch: its leaf that ended last. */
  readonly op: number;
  /** The whole graph launch that `op` stands for, or −1. */
  readonly launch: number;
  readonly lane: number;
  readonly key: number;
  /** The correlation of the record through whose wait it reached the stream, or −1 for the stream's own last op. */
  readonly via: number;
  /** The heuristic that it leans on, if any. */
  readonly rule: string | undefined;
}

/** A stream as records and waits see it: also one on which no op ran. */
export interface SyncStream {
  readonly device: number;
  readonly stream: number;
  /** Row in `DeviceIndex.lanes`, or −1 where no op ran on it. */
  readonly lane: number;
  /** Keys of the waits that were enqueued on it so far, ascending. */
  readonly waitKeys: number[];
  /** Their calls, or −1. */
  readonly waitCalls: number[];
  /** By wait: the sources that wait at this point for the next op, those of earlier waits included. */
  readonly pending: (readonly Source[])[];
}

/**
 * The streams of the trace and what is enqueued on them at any key. Waits must be put in ascending order of key; then a record
 * of an earlier key finds everything that it captures already here, so chains of waits need no recursion.
 */
export class SyncStreams {
  readonly #device: DeviceIndex;
  readonly #launches: GraphLaunches;
  readonly #lost: LostLaunches;
  readonly #racing: RacingCalls;
  readonly #streams = new Map<string, SyncStream>();
  readonly #byNumber = new Map<number, SyncStream[]>();

  constructor(device: DeviceIndex, launches: GraphLaunches, lost: LostLaunches, racing: RacingCalls) {
    this.#device = device;
    this.#launches = launches;
    this.#lost = lost;
    this.#racing = racing;
    device.lanes.forEach((lane, index) => this.#add(lane.device, lane.stream, index));
  }

  #add(device: number, stream: number, lane: number): SyncStream {
    const made: SyncStream = { device, stream, lane, waitKeys: [], waitCalls: [], pending: [] };
    this.#streams.set(`${device}.${stream}`, made);
    const same = this.#byNumber.get(stream);
    if (same === undefined) this.#byNumber.set(stream, [made]);
    else same.push(made);
    return made;
  }

  /** The stream of a device; one without ops is made on first sight. */
  at(device: number, stream: number): SyncStream {
    return this.#streams.get(`${device}.${stream}`) ?? this.#add(device, stream, -1);
  }

  /** Streams of this number, one a device: those on which an op ran, else those that a wait was enqueued on. */
  numbered(stream: number): readonly SyncStream[] {
    const all = this.#byNumber.get(stream) ?? [];
    const used = all.filter(({ lane }) => lane !== -1);
    return used.length > 0 ? used : all;
  }

  ofDevice(device: number): SyncStream[] {
    return [...this.#streams.values()].filter((known) => known.device === device);
  }

  /** Puts a wait on its stream. */
  enqueueWait(stream: SyncStream, key: number, call: number, sources: readonly Source[]): void {
    const before = stream.pending.at(-1);
    const lastOp = this.#lastOp(stream, key);
    const stillPending = before !== undefined && (stream.waitKeys.at(-1) ?? -Infinity) > lastOp.key;
    stream.waitKeys.push(key);
    stream.waitCalls.push(call);
    stream.pending.push(mergeSources(stillPending ? [...before, ...sources] : sources));
  }

  #lastOp({ lane }: SyncStream, key: number): { at: number; key: number } {
    if (lane === -1) return { at: -1, key: -Infinity };
    const at = lastBefore(this.#device.lanes[lane], key);
    return { at, key: at === -1 ? -Infinity : this.#device.lanes[lane].keys[at] };
  }

  /**
   * What must be over for the stream to have done all that was enqueued on it before `key`, the key of `call`: its last op, and waits
   * after it.
   */
  tail(stream: SyncStream, key: number, call: number): Source[] {
    const last = this.#lastOp(stream, key);
    const pending = this.#pendingAt(stream, last.key, key, call);
    // A source that comes back to its own stream is behind the last op there already.
    const sources =
      last.at === -1
        ? pending
        : [...this.#sourcesAt(stream.lane, last.at), ...pending.filter((source) => source.lane !== stream.lane)];
    // A launch that left no row may have been the last one on this stream; so may an op that has no launch.
    if (this.#lost.isAnyBetween(last.key, key)) return sources.map(asLost);
    const isUnsure = stream.lane !== -1 && this.#device.lanes[stream.lane].lastPlaced >= key;
    return isUnsure ? sources.map(asUnlaunched) : [...sources];
  }

  #pendingAt({ waitKeys, waitCalls, pending }: SyncStream, from: number, to: number, call: number): readonly Source[] {
    const last = lowerBound(waitKeys, to) - 1;
    if (last < 0 || waitKeys[last] <= from) return [];
    for (let wait = last; wait >= 0 && waitKeys[wait] > from; wait--) {
      if (!this.#racing.areAtOnce(waitCalls[wait], call)) continue;
      return pending[last].map((source) => leaningOn(source, 'racing-call'));
    }
    return pending[last];
  }

  /** What a wait of `key` holds up first: by its own rule where a launch that left no row may come before it. */
  ruleOfSink(op: number, key: number): string | undefined {
    if (this.#device.isPlaced[op] === 1) return NO_LAUNCH;
    return this.#lost.isAnyBetween(key, this.#device.key[op]) ? LOST_ROWS : undefined;
  }

  /** The last op of a stream, and, where ops overlap, the one before it that ends later. */
  #sourcesAt(lane: number, at: number): Source[] {
    const { lastUpTo, latestUpTo, keys } = this.#device.lanes[lane];
    const last = this.#sourceOf(lane, lastUpTo[at], keys[at]);
    const { end } = this.#device;
    if (end[latestUpTo[at]] <= end[last.op]) return [last];
    return [last, this.#sourceOf(lane, latestUpTo[at], keys[at])];
  }

  #sourceOf(lane: number, op: number, key: number): Source {
    const launch = this.#launches.of[op];
    const about = this.#launches.list[launch];
    const isPlaced = this.#device.isPlaced[op] === 1;
    // The trace does not say into which of several streams a graph was launched.
    const rule = about === undefined || about.oneLane ? (isPlaced ? NO_LAUNCH : undefined) : 'graph-order';
    if (about === undefined || about.lane !== lane) return { op, launch: -1, lane, key, via: -1, rule };
    return { op: lastToEnd(this.#device, about.leaves), launch, lane, key, via: -1, rule };
  }
}

const NO_LAUNCH = 'no-launch';
const asUnlaunched = (source: Source): Source => leaningOn(source, NO_LAUNCH);
const LOST_ROWS = 'lost-rows';
const asLost = (source: Source): Source => leaningOn(source, LOST_ROWS);

/** The same by a rule, unless it leans on one already. Written out: there are many, and a spread costs several times as much. */
export function leaningOn(source: Source, rule: string | undefined): Source {
  if (rule === undefined || source.rule !== undefined) return source;
  const { op, launch, lane, key, via } = source;
  return { op, launch, lane, key, via, rule };
}

export function lastToEnd({ end }: DeviceIndex, ops: readonly number[]): number {
  let last = ops[0];
  for (const op of ops) if (end[op] > end[last]) last = op;
  return last;
}

/** Of one stream only the latest op counts: streams are in order. What a heuristic found never hides what the trace says. */
function mergeSources(sources: readonly Source[]): readonly Source[] {
  if (sources.length < 2) return sources;
  const latest = new Map<string, Source[]>();
  for (const source of sources) {
    const place = `${source.lane}|${source.rule ?? ''}`;
    const known = latest.get(place);
    if (known === undefined || source.key > known[0].key) latest.set(place, [source]);
    else if (source.key === known[0].key && known.every(({ op }) => op !== source.op)) known.push(source);
  }
  return [...latest.values()].flat();
}
