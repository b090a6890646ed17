import type { EventDetails } from '../protocol/calls.ts';
import type { Trace } from '../trace/trace.ts';
import { readRawEvent } from './raw-events.ts';

/** Of one arg, in characters. */
const LONGEST_ARG = 20_000;

/** From an event's position in the file to its row. */
export function rowsByPosition({ events, eventCount }: Trace): (position: number) => number | undefined {
  const rowOf = new Int32Array(eventCount).fill(-1);
  for (let e = 0; e < events.length; e++) rowOf[events.position[e]] = e;
  return (position) => (position < rowOf.length && rowOf[position] !== -1 ? rowOf[position] : undefined);
}

/** A row with its args, which are read again from `path`; takes as long as inflating up to there. */
export async function eventDetails(trace: Trace, path: string, row: number): Promise<EventDetails> {
  const { events, strings, categories } = trace;
  const known = {
    name: strings.text(events.name[row]),
    category: categories[events.category[row]].name,
    startNs: events.start[row],
    durNs: events.dur[row],
  };
  if (path === '-') return { ...known, unread: 'standard input cannot be read again' };
  const raw = await readRawEvent(path, events.byteOffset[row]).catch((error: NodeJS.ErrnoException) => {
    if (error.code === undefined) throw error;
    return undefined;
  });
  if (raw === undefined) return { ...known, unread: 'the file cannot be read again' };
  const { args } = raw;
  if (typeof args !== 'object' || args === null) return { ...known, args: [] };
  return { ...known, args: Object.entries(args).map(([name, value]) => [name, argText(value)] as const) };
}

function argText(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length > LONGEST_ARG ? `${text.slice(0, LONGEST_ARG)}…` : text;
}
