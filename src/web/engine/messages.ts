import type { CallName, Calls } from '../../protocol/calls.ts';

/** What the page tells its worker. The first message opens a file; each question has a number that its answer comes back with. */
export type ToWorker =
  | { readonly kind: 'open'; readonly file: File }
  | { readonly kind: 'ask'; readonly id: number; readonly name: CallName; readonly question: unknown };

export type FromWorker =
  /** Bytes of JSON that were read, and which share of the file's bytes that is. */
  | { readonly kind: 'reading'; readonly jsonBytes: number; readonly share: number }
  /** All is read; now it is laid out. */
  | { readonly kind: 'laying-out'; readonly events: number }
  /** The encoded timeline. */
  | { readonly kind: 'opened'; readonly timeline: ArrayBuffer }
  /** There is nothing to show, and why. */
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'answered'; readonly id: number; readonly reply: Calls[CallName]['reply'] }
  | { readonly kind: 'failed'; readonly id: number; readonly why: string };
