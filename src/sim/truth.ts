import type { Col } from '../trace/columns.ts';
import type { Action } from './program.ts';

/** What a moment may wait for. The names are those of the engine's constraints, and `own`: the length of the op itself. */
export const TRUE_KINDS = [
  'launch',
  'stream-order',
  'stream-wait',
  'event-sync',
  'stream-sync',
  'device-sync',
  'copy-sync',
  'host-order',
  'thread',
  'collective',
  'graph',
  'overlap',
  'queue-full',
  'own',
] as const;
export type TrueKind = (typeof TRUE_KINDS)[number];

/** The number of each kind in columns: its place in the list. */
export const Kind = Object.fromEntries(TRUE_KINDS.map((kind, code) => [kind, code])) as Readonly<
  Record<TrueKind, number>
>;

export const ItemKind = { op: 0, call: 1, annotation: 2, frame: 3, device: 4 } as const;
export type ItemKind = (typeof ItemKind)[keyof typeof ItemKind];

/** The moments of an item. */
export const startOf = (item: number): number => 2 * item;
export const endOf = (item: number): number => 2 * item + 1;

/** What happened on a rank, in the order in which it was begun (host) or enqueued (device). True times, ns. */
export interface ItemTable {
  readonly length: number;
  readonly kind: Col<ItemKind>;
  /** Row in `RankTruth.names`. */
  readonly name: Col;
  /** Of host items the thread, of device items the row in `RankTruth.lanes`. */
  readonly track: Col;
  readonly start: Col;
  readonly end: Col;
  /** Of calls and device items; −1 for others. */
  readonly correlation: Col;
  /** Of device items the call that launched them; of host items the op around them, or −1. */
  readonly parent: Col;
  /**
   * A hash of where in the program it comes from, passes of loops included: the same in a run of a changed program. Queries of a
   * polling loop are told apart by their number.
   */
  readonly place: Col;
}

/**
 * Every constraint of every moment: those of moment m are `first[m]` … `first[m] + count[m] − 1`. A moment that nothing held has
 * none. Labels have no moments here.
 */
export interface TrueConstraints {
  readonly first: Col;
  readonly count: Col;
  /** A moment of this rank, or −1: another rank's arrival at `RankTruth.meetings`. */
  readonly from: Col;
  readonly kind: Col;
  /** The moment comes at least so much after `from`, ns. */
  readonly lag: Col;
  /** By moment: the constraint that held it, or −1. Ties: later source, then the kind that stands first, then the lower row. */
  readonly binding: Col;
  /** By moment: 1 where several constraints allowed exactly this time. */
  readonly tied: Col;
}

/** What a call waits for, as the machine understood it. */
export interface TrueSync {
  readonly kind: 'stream-wait' | 'event-sync' | 'stream-sync' | 'device-sync' | 'query' | 'copy-sync' | 'implicit-sync';
  /** Item of the call. */
  readonly call: number;
  readonly device: number;
  /** The waiting or synchronised stream, or −1. */
  readonly stream: number;
  /** The event's handle, or −1. */
  readonly event: number;
  /** Item of the record call that it refers to: −1 where the event was not recorded before, or none is meant. */
  readonly record: number;
  readonly recordDevice: number;
  readonly recordStream: number;
  /** Device items that had to end. Those behind the waiting stream's own order are left out. */
  readonly sources: readonly number[];
  /** Of a stream wait: the device items that it held first; none where nothing came after it on its stream. */
  sinks: readonly number[];
}

export interface TrueRecord {
  readonly call: number;
  readonly event: number;
  readonly device: number;
  readonly stream: number;
  /** Device items that it captured. */
  readonly sources: readonly number[];
}

/** One meeting of ranks. Lists are by member of the group; of a transfer: sender, receiver. */
export interface TrueMeeting {
  readonly group: string;
  /** Counts the meetings of its kind in the group from 0. */
  readonly sequence: number;
  readonly op: string;
  readonly ranks: readonly number[];
  /** Starts of the kernels, true ns; NaN where a rank never arrived. */
  readonly arrivals: Float64Array;
  readonly ends: Float64Array;
}

export interface RankTruth {
  readonly rank: number;
  readonly names: readonly string[];
  readonly threads: readonly string[];
  readonly lanes: readonly { readonly device: number; readonly stream: number }[];
  readonly items: ItemTable;
  /** By item: what in the program made it. */
  readonly actions: readonly (Action | undefined)[];
  /** Of forward and backward ops: the number that ties them; −1 for others. */
  readonly sequence: Col;
  /** Of kernels that met other ranks: the row in `meetings`; −1 for others. */
  readonly meeting: Col;
  readonly constraints: TrueConstraints;
  readonly syncs: readonly TrueSync[];
  readonly records: readonly TrueRecord[];
  readonly meetings: readonly TrueMeeting[];
}

/** The time of a moment, true ns. */
export const timeOf = ({ items }: Pick<RankTruth, 'items'>, moment: number): number =>
  (moment & 1) === 0 ? items.start[moment >> 1] : items.end[moment >> 1];
