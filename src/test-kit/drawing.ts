// Reads the text of a drawing; `draw.ts` documents the language.

export type DrawnTrack =
  | { readonly kind: 'cpu' | 'py' | 'ann'; readonly thread: number; readonly threadName?: string }
  | { readonly kind: 'gpu'; readonly device: number; readonly stream: number }
  | { readonly kind: 'sync' | 'record'; readonly device: number }
  | { readonly kind: 'flow' };

export type DrawnArgs = Readonly<Record<string, string>>;

export interface DrawnItem {
  readonly track: DrawnTrack;
  readonly name: string;
  /** Nanoseconds since the drawing's time 0. Absent where the drawing leaves the time to the call of the same correlation. */
  readonly start?: number;
  readonly dur?: number;
  readonly correlation?: number;
  readonly args: DrawnArgs;
}

export interface DrawnFlow {
  readonly category: string;
  readonly id: number;
  readonly from: { readonly thread: number; readonly time: number };
  readonly to: { readonly thread: number; readonly time: number };
}

export interface Drawing {
  readonly items: readonly DrawnItem[];
  readonly flows: readonly DrawnFlow[];
}

const TIME = String.raw`-?\d+(?:\.\d+)?(?:ns)?`;
const ARGS = String.raw`(\{[^}]*\})?(?=\s|$)`;
const SPAN = String.raw`@(${TIME})\+(${TIME})`;
/** Names may hold spaces, and a `#` that no `digits@` follows. */
const WORK = new RegExp(String.raw`\s*(\S[^@]*?)(?:#(-?\d+))?${SPAN}${ARGS}`, 'y');
/** In an annotation `#5` belongs to the name. */
const LABEL = new RegExp(String.raw`\s*(\S[^@]*)()${SPAN}${ARGS}`, 'y');
/** Sync and record rows may leave their time to their call. */
const ROW = new RegExp(String.raw`\s*([A-Za-z]*)#(-?\d+)(?:${SPAN})?${ARGS}`, 'y');
const FLOW = new RegExp(String.raw`\s*(\w+)#(\d+)\s+(\d+)@(${TIME})\s*->\s*(\d+)@(${TIME})(?=\s|$)`, 'y');

/** Throws on text that is no drawing, with the line: a drawing that says something else than its reader thinks is worse. */
export function parseDrawing(text: string): Drawing {
  const items: DrawnItem[] = [];
  const flows: DrawnFlow[] = [];
  let track: DrawnTrack | undefined;
  for (const line of text.split('\n')) {
    const drawn = line.replace(/\/\/.*$/, '').trimEnd();
    if (drawn.trim() === '') continue;
    const bar = drawn.indexOf('|');
    if (bar === -1) throw new Error(`drawing: no | in "${line.trim()}"`);
    const label = drawn.slice(0, bar).trim();
    if (label !== '') track = parseTrack(label);
    if (track === undefined) throw new Error(`drawing: no track before "${line.trim()}"`);
    const rest = drawn.slice(bar + 1);
    if (track.kind === 'flow') flows.push(...parseFlows(rest));
    else items.push(...parseItems(track, rest));
  }
  return { items, flows };
}

function parseTrack(label: string): DrawnTrack {
  const host = /^(cpu|py|ann) (\d+)(?::(.+))?$/.exec(label);
  if (host !== null) {
    const kind = host[1] as 'cpu' | 'py' | 'ann';
    return host[3] === undefined
      ? { kind, thread: Number(host[2]) }
      : { kind, thread: Number(host[2]), threadName: host[3] };
  }
  const gpu = /^gpu (\d+)\.(\d+)$/.exec(label);
  if (gpu !== null) return { kind: 'gpu', device: Number(gpu[1]), stream: Number(gpu[2]) };
  const row = /^(sync|record) (\d+)$/.exec(label);
  if (row !== null) return { kind: row[1] as 'sync' | 'record', device: Number(row[2]) };
  if (label === 'flow') return { kind: 'flow' };
  throw new Error(`drawing: no such track "${label}"`);
}

function parseItems(track: DrawnTrack, text: string): DrawnItem[] {
  const pattern = track.kind === 'ann' ? LABEL : track.kind === 'sync' || track.kind === 'record' ? ROW : WORK;
  return matches(pattern, text).map(([, name, correlation, start, dur, args]) => ({
    track,
    name: name ?? '',
    ...(start === undefined ? {} : { start: parseTime(start) }),
    ...(dur === undefined ? {} : { dur: parseTime(dur) }),
    ...(correlation ? { correlation: Number(correlation) } : {}),
    args: parseArgs(args),
  }));
}

function parseFlows(text: string): DrawnFlow[] {
  return matches(FLOW, text).map(([, category = '', id, fromThread, fromTime = '', toThread, toTime = '']) => ({
    category,
    id: Number(id),
    from: { thread: Number(fromThread), time: parseTime(fromTime) },
    to: { thread: Number(toThread), time: parseTime(toTime) },
  }));
}

/** Every match of a sticky pattern, until only blanks are left. */
function matches(pattern: RegExp, text: string): (string | undefined)[][] {
  const found: (string | undefined)[][] = [];
  pattern.lastIndex = 0;
  while (text.slice(pattern.lastIndex).trim() !== '') {
    const at = pattern.lastIndex;
    const match = pattern.exec(text);
    if (match === null) throw new Error(`drawing: cannot read "${text.slice(at).trim()}"`);
    found.push([...match]);
  }
  return found;
}

/** Microseconds, or nanoseconds with the suffix `ns`, as integer nanoseconds. */
export function parseTime(text: string): number {
  return text.endsWith('ns') ? Number(text.slice(0, -2)) : Math.round(Number(text) * 1000);
}

function parseArgs(text: string | undefined): DrawnArgs {
  if (text === undefined) return {};
  // A comma before something that is no `key=` belongs to a list.
  const pairs = text.slice(1, -1).split(/,(?=[^,=\]]*=)/);
  return Object.fromEntries(
    pairs.map((pair) => {
      const equals = pair.indexOf('=');
      if (equals === -1) throw new Error(`drawing: "${pair}" in ${text} is not key=value`);
      return [pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()];
    }),
  );
}
