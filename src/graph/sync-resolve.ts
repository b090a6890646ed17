import { lowerBound, upperBound } from '../base/bisect.ts';
import type { DeviceIndex } from './device.ts';
import type { RacingCalls } from './racing.ts';
import type { RecordRow, WaitRow } from './sync-rows.ts';
import { type Source, type SyncStream, type SyncStreams, leaningOn } from './sync-streams.ts';

export type Fallback = 'earlier-record' | 'event-id';

/** What a row that waits for an event was found to wait for. */
export type Resolution =
  | { readonly status: 'future' | 'unresolved'; readonly record: number }
  | {
      readonly status: 'found';
      /** Correlation of the record used, or −1 for `heuristic:last-op-before-wait`. */
      readonly record: number;
      readonly fallback: Fallback | undefined;
      /** The stream it was recorded on. */
      readonly stream: SyncStream;
      readonly sources: readonly Source[];
    };

/** Finds the record that a wait really waits for, and what that record captured. Rules 1, 10, 11, 12, 17, 18 and 19. */
export class RecordResolver {
  readonly #records: Map<number, RecordRow>;
  readonly #streams: SyncStreams;
  readonly #racing: RacingCalls;
  /** Records with a `cuda_event` row by device and event id, ascending by key. */
  readonly #byEvent = new Map<string, { records: RecordRow[]; keys: number[] }>();
  /** Keys of records without a row of their own, ascending: each may have been any event's. */
  readonly #nameless: Float64Array;
  /** By record: the stream that it was made on; absent where the trace does not say. */
  readonly #streamOf = new Map<number, SyncStream>();

  constructor(records: Map<number, RecordRow>, waits: readonly WaitRow[], streams: SyncStreams, racing: RacingCalls) {
    this.#records = records;
    this.#streams = streams;
    this.#racing = racing;
    const recorded = [...records.values()].filter((record) => record.hasRow && record.eventId >= 0);
    for (const record of recorded.filter(({ key }) => !Number.isNaN(key)).sort((x, y) => x.key - y.key)) {
      const event = `${record.device}.${record.eventId}`;
      const same = this.#byEvent.get(event) ?? { records: [], keys: [] };
      this.#byEvent.set(event, same);
      same.records.push(record);
      same.keys.push(record.key);
    }
    const nameless = [...records.values()].filter((record) => !record.hasRow && !Number.isNaN(record.key));
    this.#nameless = Float64Array.from(nameless, ({ key }) => key).sort();
    for (const wait of waits) if (wait.stream >= 0 && wait.device >= 0) streams.at(wait.device, wait.stream);
    this.#placeRecords(waits);
  }

  /** Its own row says where a record was made; else the waits that name it, where they agree. */
  #placeRecords(waits: readonly WaitRow[]): void {
    const contradicted = new Set<number>();
    for (const record of this.#records.values()) {
      if (!record.hasRow || record.stream < 0) continue;
      const device = record.device >= 0 ? record.device : this.#deviceFor(record.device, record.stream);
      if (device !== undefined) this.#streamOf.set(record.correlation, this.#streams.at(device, record.stream));
    }
    for (const wait of waits) {
      const record = this.#records.get(wait.waitOnRecord);
      if (record === undefined || (record.hasRow && record.stream >= 0) || wait.waitOnStream < 0) continue;
      const device = this.#deviceFor(wait.device, wait.waitOnStream);
      if (device === undefined) continue;
      const stream = this.#streams.at(device, wait.waitOnStream);
      const known = this.#streamOf.get(record.correlation);
      if (known !== undefined && known !== stream) contradicted.add(record.correlation);
      this.#streamOf.set(record.correlation, stream);
    }
    for (const correlation of contradicted) this.#streamOf.delete(correlation);
    for (const [correlation, stream] of this.#streamOf) {
      const record = this.#records.get(correlation);
      if (record === undefined) continue;
      record.stream = stream.stream;
      record.device = stream.device;
    }
  }

  /** The waiting device if it has the stream, else the only one that has it; with no such stream anywhere, the waiting one. */
  #deviceFor(device: number, stream: number): number | undefined {
    const found = this.#streams.numbered(stream);
    if (device >= 0 && found.some((known) => known.device === device)) return device;
    if (found.length === 1) return found[0].device;
    return found.length === 0 && device >= 0 ? device : undefined;
  }

  streamOf(record: RecordRow): SyncStream | undefined {
    return this.#streamOf.get(record.correlation);
  }

  /** What a record captures. Call it only once every wait of a smaller key has been put on its stream. */
  sourcesOf(record: RecordRow, stream: SyncStream): Source[] {
    const racing = this.#racing.isRacing(record.call, stream.lane) ? 'racing-call' : undefined;
    return this.#streams.tail(stream, record.key, record.call).map((source) => leaningOn(source, racing));
  }

  resolve(wait: WaitRow): Resolution {
    if (Number.isNaN(wait.key)) return { status: 'unresolved', record: wait.waitOnRecord };
    const named = this.#records.get(wait.waitOnRecord);
    if (named !== undefined && named.key < wait.key) return this.#found(named, undefined, undefined);
    const earlier = this.#lastOfEvent(wait);
    const rule = earlier === undefined ? undefined : this.#doubtOf(earlier, wait);
    if (named !== undefined) {
      if (earlier !== undefined) return this.#found(earlier, 'earlier-record', rule);
      return { status: 'future', record: named.correlation };
    }
    if (earlier !== undefined) return this.#found(earlier, 'event-id', rule);
    return this.#lastOpBefore(wait);
  }

  #found(record: RecordRow, fallback: Fallback | undefined, rule: string | undefined): Resolution {
    const stream = this.streamOf(record);
    if (stream === undefined) return { status: 'unresolved', record: record.correlation };
    const sources = this.sourcesOf(record, stream).map((source) => leaningOn(source, rule));
    return { status: 'found', record: record.correlation, fallback, stream, sources };
  }

  /** Why the last record of an event before a wait may not be the one that is meant. */
  #doubtOf(record: RecordRow, wait: WaitRow): string | undefined {
    const same = this.#recordsOf(wait);
    const next = same?.records[lowerBound(same.keys, wait.key)];
    const racing =
      this.#racing.areAtOnce(record.call, wait.call) || this.#racing.areAtOnce(next?.call ?? -1, wait.call);
    if (racing) return 'racing-call';
    return lowerBound(this.#nameless, wait.key) > upperBound(this.#nameless, record.key) ? 'event-id' : undefined;
  }

  /** Event ids belong to a context: those of another device are other events. */
  #recordsOf({ waitOnEventId, device }: WaitRow): { records: RecordRow[]; keys: number[] } | undefined {
    return this.#byEvent.get(`${device}.${waitOnEventId}`) ?? this.#byEvent.get(`-1.${waitOnEventId}`);
  }

  #lastOfEvent(wait: WaitRow): RecordRow | undefined {
    const same = this.#recordsOf(wait);
    return same?.records[lowerBound(same.keys, wait.key) - 1];
  }

  /** Rows of early 2023 name the stream but no record. What was enqueued there before the wait is at least as much as it waits for. */
  #lastOpBefore(wait: WaitRow): Resolution {
    if (wait.waitOnStream < 0) return { status: 'unresolved', record: -1 };
    const device = this.#deviceFor(wait.device, wait.waitOnStream);
    if (device === undefined) return { status: 'unresolved', record: -1 };
    const stream = this.#streams.at(device, wait.waitOnStream);
    const sources = this.#streams
      .tail(stream, wait.key, wait.call)
      .map((source) => leaningOn(source, 'last-op-before-wait'));
    return { status: 'found', record: -1, fallback: undefined, stream, sources };
  }
}

/** The ops that a wait on `lane` holds up first: the next op enqueued there, or the roots of a graph launch. */
export function nextEnqueued({ lanes }: DeviceIndex, lane: number, key: number): number | undefined {
  if (lane === -1) return undefined;
  return lanes[lane].firstFrom[upperBound(lanes[lane].keys, key)];
}
