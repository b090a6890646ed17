/** Why a moment cannot come earlier. The order is also the order in which equal arrivals are told apart. */
export const CONSTRAINT_KINDS = [
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
  'inferred-wait',
] as const;
/** One of `CONSTRAINT_KINDS`. */
export type ConstraintKind = (typeof CONSTRAINT_KINDS)[number];

/** The number of a kind in columns: its place in the list. */
export const kindCode = (kind: ConstraintKind): number => KIND_CODES[kind];
const KIND_CODES = Object.fromEntries(CONSTRAINT_KINDS.map((kind, code) => [kind, code])) as Readonly<
  Record<ConstraintKind, number>
>;
