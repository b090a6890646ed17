import type { Brand } from '../base/brand.ts';

/** The row of an event in its trace's `EventTable`, sorted by start. Inside the engine only; people see the position in the file. */
export type EventId = Brand<number, 'EventId'>;
/** The row of a text in the trace's string table. */
export type StringId = Brand<number, 'StringId'>;
/** The row of a (pid, tid) pair in `Trace.tracks`. */
export type TrackId = Brand<number, 'TrackId'>;
/** The row of a category in `Trace.categories`. */
export type CategoryId = Brand<number, 'CategoryId'>;

/** No event: only inside integer columns, elsewhere `undefined`. */
export const NO_EVENT = -1 as EventId;
/** No text: only inside integer columns. */
export const NO_STRING = -1 as StringId;
