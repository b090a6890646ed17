// What the truth says of one moment, reduced to what its trace could show.
import { type KinetoOptions, NO_LOSS } from '../sim/kineto-options.ts';
import type { Job } from '../sim/program.ts';
import { losesEventId } from '../sim/row-plan.ts';
import { TRUE_KINDS, type TrueKind, type TrueSync } from '../sim/truth.ts';
import type { Sight } from './proof-sight.ts';

/** `order`: any order of one stream: `stream-order`, `overlap` and what follows a graph launch. */
export type ProofKind = Exclude<TrueKind, 'stream-order' | 'overlap' | 'graph' | 'own'> | 'order' | 'own';

/** What a moment comes after. */
export interface Cause {
  readonly kind: ProofKind;
  /** A name of `Sight`. */
  readonly source: string;
  /** The item of the source; of a graph launch its first node. */
  readonly item: number;
  /** The lane of a source on a device, or −1. */
  readonly lane: number;
  /** Must the graph hold it: is all that tells of it in the trace? */
  readonly isTold: boolean;
  /** Stands for a kernel whose row was lost, although the trace shows its launch. */
  readonly standsIn?: true;
}

export const nameOf = ({ kind, source }: Pick<Cause, 'kind' | 'source'>): string => `${kind} < ${source}`;

export function proofKind(kind: TrueKind): ProofKind {
  return kind === 'stream-order' || kind === 'overlap' || kind === 'graph' ? 'order' : kind;
}

/** The causes of every moment, read off the truth once. */
export class ToldTruth {
  readonly #sight: Sight;
  readonly #kineto: KinetoOptions;
  /** No row that tells of a wait is missing or wrong: chains of waits can be followed. */
  readonly isWhole: boolean;
  /** Two threads may have taken their places on a stream in another order than that of their ids. */
  readonly mayRace: boolean;
  /** Two ops of one stream may seem to begin at once, and their ids not tell which came first. */
  readonly mayTie: boolean;
  /** By device item: the stream waits before it on its stream that it was the first to obey. */
  readonly waitsOf = new Map<number, number[]>();
  readonly #syncOfCall = new Map<number, number>();
  readonly #eventsKnown: boolean;

  constructor(sight: Sight, job: Job, kineto: KinetoOptions) {
    this.#sight = sight;
    this.#kineto = kineto;
    const { syncs } = sight.truth;
    const { loss, generation, recordRows, syncRows } = kineto;
    const keepsSyncs = { ...loss, recordRows: 0, deviceRows: 0, lostEventIds: 0, seed: 1 };
    this.isWhole =
      syncRows &&
      generation !== 'early-2023' &&
      Object.entries(NO_LOSS).every(([key, value]) => keepsSyncs[key as keyof typeof keepsSyncs] === value);
    this.mayRace = job.costs.enqueueNs > 0;
    this.mayTie = this.mayRace && kineto.resolution === 'us';
    this.#eventsKnown = recordRows !== 'none' && loss.recordRows === 0;
    syncs.forEach(({ call, sinks }, sync) => {
      this.#syncOfCall.set(call, sync);
      for (const sink of sinks) {
        const known = this.waitsOf.get(sink);
        if (known === undefined) this.waitsOf.set(sink, [sync]);
        else known.push(sync);
      }
    });
  }

  syncOfCall(call: number): number {
    return this.#syncOfCall.get(call) ?? -1;
  }

  /** Does the trace say which record a wait or synchronisation refers to, and where that was made? */
  isShown(sync: number): boolean {
    const { syncFate } = this.#sight.plan;
    if (syncFate[sync] === 'not-written' || this.#kineto.generation === 'early-2023') return false;
    if (syncFate[sync] === 'written') return true;
    const namesEvent =
      syncFate[sync] === 'future-id' || (syncFate[sync] === 'ids-lost' && !losesEventId(this.#kineto, sync));
    // Events of two devices may have one id, so that an id alone is only looked for on the device of the row.
    const { device, recordDevice, record } = this.#sight.truth.syncs[sync];
    return namesEvent && this.#eventsKnown && device === recordDevice && this.#hasRow(record);
  }

  /** Does the trace name the record of a sync, by its own id or as the last one of its event? */
  mayBeResolved(sync: number): boolean {
    const { syncFate } = this.#sight.plan;
    const { kind, device, recordDevice, record } = this.#sight.truth.syncs[sync];
    if (kind === 'copy-sync') return true;
    if (syncFate[sync] === 'not-written' || syncFate[sync] === 'lost' || syncFate[sync] === 'outside-capture') {
      return false;
    }
    if (kind !== 'stream-wait' && kind !== 'event-sync') return true;
    if (this.#kineto.generation === 'early-2023') return false;
    return syncFate[sync] === 'written' || (device === recordDevice && this.#hasRow(record));
  }

  #hasRow(record: number): boolean {
    const { truth, plan } = this.#sight;
    const at = truth.records.findIndex(({ call }) => call === record);
    return at !== -1 && plan.recordFate[at] === 'written';
  }

  /** Is it told that a sync waits for a source: for what its record, or its stream, had last, or through waits that are all told? */
  #tells(sync: number, source: number): boolean {
    if (this.mayRace || !this.isShown(sync)) return false;
    const { items, lanes } = this.#sight.truth;
    const about = this.#sight.truth.syncs[sync];
    return this.isWhole || isOwnSource(about, lanes[items.track[source]]);
  }

  /** What a moment comes after: sources whose rows were lost are replaced by what they came after on their stream. */
  causesOf(moment: number): Cause[] {
    const { truth } = this.#sight;
    const { constraints } = truth;
    const found: Cause[] = [];
    const first = constraints.first[moment];
    for (let c = first; c < first + constraints.count[moment]; c++) {
      if (constraints.from[c] === -1) continue;
      found.push(...this.#cause(moment, constraints.from[c], proofKind(TRUE_KINDS[constraints.kind[c]]), 0));
    }
    return withoutDominated(found, this.#sight.placeOf(moment >> 1).lane);
  }

  /** What a sync waits for, by itself: other waits before the same op have their own. */
  sourcesOf(sync: number): Cause[] {
    const { kind, call, sources } = this.#sight.truth.syncs[sync];
    if (kind === 'query' || kind === 'implicit-sync') return [];
    return sources.flatMap((source) => this.#cause(2 * call + 1, 2 * source + 1, kind, 0));
  }

  /** Is it what a wait held first, as far as its row was not lost without a trace? */
  isSinkOf(sync: number, item: number): boolean {
    const { items, syncs } = this.#sight.truth;
    const { sinks } = syncs[sync];
    if (
      sinks.some(
        (sink) => sink === item || (this.#sight.launchOf[sink] !== -1 && items.parent[sink] === items.parent[item]),
      )
    ) {
      return true;
    }
    return sinks.length > 0 && sinks.every((sink) => !this.#sight.isWritten(sink) && !this.#isMissed(sink));
  }

  #cause(moment: number, from: number, kind: ProofKind, depth: number): Cause[] {
    const sight = this.#sight;
    const item = from >> 1;
    if (!sight.isDevice(item)) {
      if (!sight.isWritten(item)) return [];
      return [{ kind, source: sight.trueSource(from), item, lane: -1, isTold: kind !== 'thread' }];
    }
    const launch = sight.launchOf[item];
    const isThere = launch === -1 ? sight.isWritten(item) : this.#isLaunchThere(item);
    // An op that may overlap the one before it looks like one that comes after it, where it began only then.
    if (isThere) {
      const end = kind === 'queue-full' ? from : 2 * item + 1;
      return [
        { kind, source: sight.trueSource(end), ...sight.placeOf(item), isTold: this.#isTold(moment, item, kind) },
      ];
    }
    if (kind === 'queue-full' || depth > 2_000) return [];
    const { constraints } = sight.truth;
    const first = constraints.first[2 * item];
    const found: Cause[] = [];
    for (let c = first; c < first + constraints.count[2 * item]; c++) {
      const other = proofKind(TRUE_KINDS[constraints.kind[c]]);
      if (constraints.from[c] === -1 || (other !== 'order' && other !== 'stream-wait')) continue;
      const passed = kind === 'order' ? other : kind;
      for (const cause of this.#cause(moment, constraints.from[c], passed, depth + 1)) {
        found.push({ ...cause, isTold: false, ...(this.#isMissed(item) ? { standsIn: true } : {}) });
      }
    }
    return found;
  }

  /** Does the trace show that something ran that it has no row of? A copy of nothing leaves no row. */
  #isMissed(item: number): boolean {
    const { items, actions } = this.#sight.truth;
    const kind = actions[item]?.kind;
    if (this.#sight.launchOf[item] !== -1 && this.#isLaunchThere(item)) return false;
    return this.#sight.isWritten(items.parent[item]) && kind !== 'copy' && kind !== 'fill';
  }

  /** Was the row of any node of an item's graph launch lost? */
  lostNodes(item: number): boolean {
    const { launchOf } = this.#sight;
    if (launchOf[item] === -1) return false;
    for (let node = this.#sight.placeOf(item).item; launchOf[node] === launchOf[item]; node++) {
      if (!this.#sight.isWritten(node)) return true;
    }
    return false;
  }

  #isLaunchThere(item: number): boolean {
    const { items } = this.#sight.truth;
    const call = items.parent[item];
    let node = this.#sight.placeOf(item).item;
    for (; node < items.length && items.parent[node] === call; node++) if (this.#sight.isWritten(node)) return true;
    return false;
  }

  #isTold(moment: number, source: number, kind: ProofKind): boolean {
    const item = moment >> 1;
    // The trace does not say into which of several streams a graph was launched.
    if (this.#sight.isSpread(source)) return false;
    switch (kind) {
      case 'order':
        return !this.mayTie;
      case 'copy-sync':
        return true;
      case 'queue-full':
        return this.#kineto.loss.deviceRows === 0 && this.#kineto.loss === NO_LOSS;
      case 'stream-wait':
        return (this.waitsOf.get(item) ?? []).some(
          (sync) => this.#sight.truth.syncs[sync].sources.includes(source) && this.#tells(sync, source),
        );
      case 'event-sync':
      case 'stream-sync':
      case 'device-sync': {
        const sync = this.syncOfCall(item);
        return sync !== -1 && this.#sight.truth.syncs[sync].kind === kind && this.#tells(sync, source);
      }
      default:
        return false;
    }
  }
}

/** Is it the last op of the recorded or synchronised stream itself, not one that came there through a wait? */
function isOwnSource(sync: TrueSync, lane: { readonly device: number; readonly stream: number }): boolean {
  switch (sync.kind) {
    case 'stream-wait':
    case 'event-sync':
      return lane.device === sync.recordDevice && lane.stream === sync.recordStream;
    case 'stream-sync':
      return lane.device === sync.device && lane.stream === sync.stream;
    default:
      return lane.device === sync.device;
  }
}

/** Streams are in order: of several sources of one kind on one stream only the last counts. */
export function withoutDominated<T extends Cause>(causes: readonly T[], ownLane: number): T[] {
  const last = new Map<string, T>();
  const kept: T[] = [];
  for (const cause of causes) {
    if (cause.lane === -1 || cause.kind === 'queue-full') {
      kept.push(cause);
      continue;
    }
    if (cause.kind === 'stream-wait' && cause.lane === ownLane) continue;
    const place = `${cause.kind}|${cause.lane}`;
    const known = last.get(place);
    if (known === undefined || cause.item > known.item || (cause.item === known.item && !known.isTold)) {
      last.set(place, cause);
    }
  }
  return [...kept, ...last.values()];
}
