import type { EventDetails } from '../protocol/calls.ts';
import type { Trace } from '../trace/trace.ts';

/** Of one arg, in characters. */
const LONGEST_ARG = 20_000;

/** From an event's position in the file to its row. */
export function rowsByPosition({ events, eventCount }: Trace): (position: number) => number | undefined {
  const rowOf = new Int32Array(eventCount).fill(-1);
  for (let e = 0; e < events.length; e++) rowOf[events.position[e]] = e;
  return (position) => (position < rowOf.length && rowOf[position] !== -1 ? rowOf[position] : undefined);
}

/** Where rows are read again from, by the byte offset of their `{`; `undefined`: no row can be read there. Or why it cannot be done. */
export type RowSource =
  | { readonly kind: 'file'; readonly read: (byteOffset: number) => Promise<Record<string, unknown> | undefined> }
  | { readonly kind: 'none'; readonly why: string };

/** A row with its args, which are read again; takes as long as inflating up to there. */
export async function eventDetails(trace: Trace, rows: RowSource, row: number): Promise<EventDetails> {
  const { events, strings, categories } = trace;
  const known = {
    name: strings.text(events.name[row]),
    category: categories[events.category[row]].name,
    startNs: events.start[row],
    durNs: events.dur[row],
  };
  if (rows.kind === 'none') return { ...known, unread: rows.why };
  const raw = await rows.read(events.byteOffset[row]);
  return raw === undefined ? { ...known, unread: 'the file cannot be read again' } : { ...known, args: argsOf(raw) };
}

/** The args of a row as texts, values as JSON; none where it has none. */
export function argsOf({ args }: Record<string, unknown>): NonNullable<EventDetails['args']> {
  if (typeof args !== 'object' || args === null) return [];
  return Object.entries(args).map(([name, value]) => [name, argText(value)] as const);
}

function argText(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length > LONGEST_ARG ? `${text.slice(0, LONGEST_ARG)}…` : text;
}
