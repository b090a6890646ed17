import { Field } from '../trace/raw-row.ts';
import { BAD, BYTE, INCOMPLETE, skipSpace, stringEnd } from './bytes.ts';
import { decodeText } from './decode-text.ts';

/** What to do with the value behind a key, or that there is none. Args with a column are `firstField + field`. */
export const Action = {
  closeArgs: 0,
  closeEvent: 1,
  unknown: 2,
  args: 3,
  phase: 4,
  category: 5,
  name: 6,
  pid: 7,
  tid: 8,
  start: 9,
  duration: 10,
  id: 11,
  firstField: 16,
} as const;

const eventKeys = new Map<string, number>([
  ['ph', Action.phase],
  ['cat', Action.category],
  ['name', Action.name],
  ['pid', Action.pid],
  ['tid', Action.tid],
  ['ts', Action.start],
  ['dur', Action.duration],
  ['id', Action.id],
  ['args', Action.args],
]);

const argKeys = new Map<string, Field>([
  ['correlation', Field.correlation],
  ['External id', Field.externalId],
  ['external id', Field.externalId],
  ['Sequence number', Field.sequence],
  ['Fwd thread id', Field.forwardThread],
  ['Python id', Field.pythonId],
  ['Python parent id', Field.parentId],
  ['device', Field.device],
  ['stream', Field.stream],
  ['bytes', Field.bytes],
  ['memory bandwidth (GB/s)', Field.bandwidth],
  ['graph id', Field.graphId],
  ['graph node id', Field.graphNodeId],
  ['wait_on_stream', Field.waitOnStream],
  ['wait_on_cuda_event_record_corr_id', Field.waitOnRecord],
  ['wait_on_cuda_event_id', Field.waitOnEventId],
  ['event_id', Field.eventId],
  ['In msg nelems', Field.inElements],
  ['Out msg nelems', Field.outElements],
  ['Group size', Field.groupSize],
  ['Seq', Field.collectiveSequence],
  ['Rank', Field.rank],
  ['Collective name', Field.collectiveName],
  ['dtype', Field.dtype],
  ['Process Group Name', Field.groupName],
  ['Process Group Description', Field.groupDescription],
  ['Process Group Ranks', Field.groupRanks],
  ['Comms Id', Field.commsId],
  ['Src Rank', Field.peerRank],
  ['Dst Rank', Field.peerRank],
  ['Global rank start', Field.rankStart],
  ['Global rank stride', Field.rankStride],
  ['In split size', Field.inSplits],
  ['Out split size', Field.outSplits],
  ['name', Field.metaName],
  ['labels', Field.metaLabels],
  ['Input Dims', Field.inputDims],
  ['Input type', Field.inputTypes],
]);
const LONGEST_KEY = Math.max(...[...argKeys.keys()].map((key) => key.length));

/** Takes apart what stands between two values: `,` and a key, or a closing bracket. The slow way, for what `Literals` has not seen. */
export class KeyReader {
  /** The `Action` of what was read last. */
  action = 0;

  /** Reads from behind a value (or from behind `{`, where `isFirst`) up to the next value. Returns where that begins, or `INCOMPLETE`, or `BAD`. */
  read(bytes: Uint8Array, from: number, end: number, inArgs: boolean, isFirst: boolean): number {
    let at = skipSpace(bytes, from);
    if (at >= end) return INCOMPLETE;
    if (bytes[at] === BYTE.closeObject) {
      this.action = inArgs ? Action.closeArgs : Action.closeEvent;
      return at + 1;
    }
    if (!isFirst) {
      if (bytes[at] !== BYTE.comma) return BAD;
      at = skipSpace(bytes, at + 1);
      if (at >= end) return INCOMPLETE;
    }
    if (bytes[at] !== BYTE.quote) return BAD;
    const close = stringEnd(bytes, at + 1);
    if (close >= end) return INCOMPLETE;
    this.action = actionOf(bytes, at + 1, close, inArgs);
    at = skipSpace(bytes, close + 1);
    if (at >= end) return INCOMPLETE;
    if (bytes[at] !== BYTE.colon) return BAD;
    at = skipSpace(bytes, at + 1);
    return at >= end ? INCOMPLETE : at;
  }
}

/** The `Action` of a key, whose bytes (without quotes) are `[from, to)`. */
export function actionOf(bytes: Uint8Array, from: number, to: number, inArgs: boolean): number {
  // A letter may be spelled `\u0061`.
  if (to - from > LONGEST_KEY * 6) return Action.unknown;
  const { text } = decodeText(bytes, from, to);
  if (!inArgs) return eventKeys.get(text) ?? Action.unknown;
  const field = argKeys.get(text);
  return field === undefined ? Action.unknown : Action.firstField + field;
}
