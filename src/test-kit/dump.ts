import type { Col } from '../trace/columns.ts';
import type { StringId } from '../trace/ids.ts';
import type { Trace } from '../trace/trace.ts';

type Table = Readonly<Record<string, Col | number>>;

const phaseNames = ['X', 'B', 'i', 'C', 's', 't', 'f', 'b', 'n', 'e', 'other'];
const flagNames = ['', ' no-timing', ' unfinished', ' no-timing unfinished'];

/** Columns of side tables that hold texts. */
const textColumns = new Set([
  'name',
  'dtype',
  'groupName',
  'groupDescription',
  'groupRanks',
  'commsId',
  'inputDims',
  'inputTypes',
]);

/** The whole trace as text: equal for equal traces, and no number of a string, category or track in it. */
export function dump(trace: Trace): string {
  const { events, strings, categories, tracks } = trace;
  const text = (id: StringId): string => JSON.stringify(strings.text(id));
  const lines = [
    `${trace.jsonBytes} bytes, ${trace.eventCount} events, rank ${trace.rank} of ${trace.worldSize}, ${trace.backend}`,
    `origin ${trace.originUnixNs}`,
    `phases ${JSON.stringify(trace.byPhase)}`,
    `devices ${JSON.stringify(trace.devices)}`,
    ...tracks.map((track) => JSON.stringify(track)).sort(),
    ...categories.map(({ name, kind }) => `category ${JSON.stringify(name)} ${kind}`).sort(),
  ];
  for (let e = 0; e < events.length; e++) {
    const track = tracks[events.track[e]];
    const category = categories[events.category[e]];
    lines.push(
      [
        `#${e} ${phaseNames[events.phase[e]]} ${JSON.stringify(category?.name)} ${text(events.name[e])}`,
        `${track?.pid}.${track?.tid} ${events.start[e]}+${events.dur[e]}${flagNames[events.flags[e]]}`,
        `corr ${events.correlation[e]} pos ${events.position[e]} at ${events.byteOffset[e]}`,
      ].join('  '),
    );
  }
  const readable = (column: string, value: number): string =>
    textColumns.has(column) ? text(value as StringId) : String(value);
  for (const name of ['ops', 'calls', 'python', 'device', 'sync', 'records', 'collectives'] as const) {
    lines.push(...dumpTable(name, { ...trace[name] }, readable));
  }
  lines.push(...trace.diagnostics.map(({ kind, count, firstByteOffset }) => `! ${kind} ${count} ${firstByteOffset}`));
  return `${lines.join('\n')}\n`;
}

function dumpTable(name: string, table: Table, readable: (column: string, value: number) => string): string[] {
  const columns = Object.entries(table).filter((entry): entry is [string, Col] => typeof entry[1] !== 'number');
  const length = columns[0]?.[1].length ?? 0;
  return Array.from(
    { length },
    (_, row) => `${name} ${columns.map(([column, values]) => `${column} ${readable(column, values[row])}`).join(' ')}`,
  );
}
