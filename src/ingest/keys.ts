import { Field } from '../trace/raw-row.ts';
import { decodeText } from './decode-text.ts';

/** The keys of an event that have a meaning. */
export const EventKey = { phase: 0, category: 1, name: 2, pid: 3, tid: 4, start: 5, duration: 6, id: 7, args: 8 } as const;
export const UNKNOWN_KEY = -1;

const eventKeys: Readonly<Record<string, number>> = {
  ph: EventKey.phase,
  cat: EventKey.category,
  name: EventKey.name,
  pid: EventKey.pid,
  tid: EventKey.tid,
  ts: EventKey.start,
  dur: EventKey.duration,
  id: EventKey.id,
  args: EventKey.args,
};

const argKeys: Readonly<Record<string, Field>> = {
  correlation: Field.correlation,
  'External id': Field.externalId,
  'external id': Field.externalId,
  'Sequence number': Field.sequence,
  'Fwd thread id': Field.forwardThread,
  'Python id': Field.pythonId,
  'Python parent id': Field.parentId,
  device: Field.device,
  stream: Field.stream,
  bytes: Field.bytes,
  'memory bandwidth (GB/s)': Field.bandwidth,
  'graph id': Field.graphId,
  'graph node id': Field.graphNodeId,
  wait_on_stream: Field.waitOnStream,
  wait_on_cuda_event_record_corr_id: Field.waitOnRecord,
  wait_on_cuda_event_id: Field.waitOnEventId,
  event_id: Field.eventId,
  'In msg nelems': Field.inElements,
  'Out msg nelems': Field.outElements,
  'Group size': Field.groupSize,
  Seq: Field.collectiveSequence,
  Rank: Field.rank,
  'Collective name': Field.collectiveName,
  dtype: Field.dtype,
  'Process Group Name': Field.groupName,
  'Process Group Description': Field.groupDescription,
  'Process Group Ranks': Field.groupRanks,
  'Comms Id': Field.commsId,
  name: Field.metaName,
  labels: Field.metaLabels,
};

/** Finds the number of a key by its bytes. Keys spelled with escapes are found by their text. */
export class KeyTable {
  readonly #numbers: ReadonlyMap<string, number>;
  /** Slot → index in `#keys` + 1, or 0. By length, first and last byte: few keys share all three. */
  readonly #slots = new Uint8Array(256);
  readonly #keys: { readonly bytes: Uint8Array; readonly number: number }[] = [];

  constructor(numbers: Readonly<Record<string, number>>) {
    this.#numbers = new Map(Object.entries(numbers));
    for (const [key, number] of this.#numbers) {
      const bytes = new TextEncoder().encode(key);
      this.#keys.push({ bytes, number });
      let slot = slotOf(bytes, 0, bytes.length);
      while (this.#slots[slot] !== 0) slot = (slot + 1) & 255;
      this.#slots[slot] = this.#keys.length;
    }
  }

  /** The number of the key whose bytes are `bytes[from, to)`, or `UNKNOWN_KEY`. */
  find(bytes: Uint8Array, from: number, to: number): number {
    for (let slot = slotOf(bytes, from, to); ; slot = (slot + 1) & 255) {
      const index = this.#slots[slot] - 1;
      if (index < 0) return UNKNOWN_KEY;
      const key = this.#keys[index];
      if (isSame(key.bytes, bytes, from, to)) return key.number;
    }
  }

  findEscaped(bytes: Uint8Array, from: number, to: number): number {
    return this.#numbers.get(decodeText(bytes, from, to).text) ?? UNKNOWN_KEY;
  }
}

export const eventKeyTable = (): KeyTable => new KeyTable(eventKeys);
export const argKeyTable = (): KeyTable => new KeyTable(argKeys);

function slotOf(bytes: Uint8Array, from: number, to: number): number {
  if (from === to) return 0;
  return ((to - from) * 7 + bytes[from] * 3 + bytes[to - 1] * 37) & 255;
}

function isSame(key: Uint8Array, bytes: Uint8Array, from: number, to: number): boolean {
  if (key.length !== to - from) return false;
  for (let at = 0; at < key.length; at++) if (key[at] !== bytes[from + at]) return false;
  return true;
}
