/** What lies in a page that is one file: the timeline, and answers to the questions that it may be asked. */
import type { CallName, Calls } from './calls.ts';

/** Bytes in gzip, as base64. */
export type Packed = string;

/** Replies to the questions that are about no event. */
export type WholeReplies = {
  readonly [Name in Exclude<CallName, 'explain' | 'event' | 'notes' | 'keep-notes'>]: Calls[Name]['reply'];
};

/** What there is to say of one event. */
export interface Story {
  /** Absent of an event that is only named by another. */
  readonly explain?: Calls['explain']['reply'];
  readonly event: Calls['event']['reply'];
}

/** Stories of some events, packed together. */
export interface StoryPack {
  /** Their positions in the file, as they lie in the pack. */
  readonly positions: readonly number[];
  /** A list of `Story` as JSON. */
  readonly stories: Packed;
}

export interface Snapshot {
  readonly schema: 'longpole.snapshot/1';
  /** As `encodeTimeline` writes it. */
  readonly timeline: Packed;
  /** `WholeReplies` as JSON. */
  readonly replies: Packed;
  readonly packs: readonly StoryPack[];
  /** What to do about an event whose story is not here. */
  readonly otherwise: string;
}
