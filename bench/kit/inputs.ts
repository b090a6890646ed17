// Traces of any size for benchmarks: the events of a real trace (of the example where there is none), again and again, with times and
// ids moved on. Kept in the system's folder for temporary files, and made anew only where they are missing.
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip, gunzipSync } from 'node:zlib';

const FOLDER = join(tmpdir(), 'longpole-bench');
const TRACES = process.env['LONGPOLE_TRACES'] ?? '../shared/traces';

export interface Size {
  readonly bytes?: number;
  readonly events?: number;
  /** Which public trace is repeated, where not the usual one. */
  readonly of?: string;
}

/** What a benchmark may ask for by name. */
export const SIZES: Readonly<Record<string, Size>> = {
  '100MB': { bytes: 1e8 },
  '1GB': { bytes: 1e9 },
  '1M': { events: 1e6 },
  '5M': { events: 5e6 },
};
/** With Python stacks. Plain only. */
export const LARGEST: Size = { bytes: 6e9, of: 'single/qwen_h100_stacks.json.gz' };

export interface PlainInput {
  readonly plain: string;
  readonly jsonBytes: number;
  readonly events: number;
  readonly source: string;
}

export interface Input extends PlainInput {
  readonly packed: string;
}

/** A number that moves on with each repetition: a time, an id, the number of a step. */
const MOVING = /"(?:ts|id|correlation|External id)": ?(\d+)|ProfilerStep#(\d+)/g;

/** Trace files of at least `bytes` of JSON, or of at least `events` events. */
export async function makeInput(name: string, size: Size): Promise<Input> {
  const input = await makePlainInput(name, size);
  const packed = `${input.plain}.gz`;
  if (!existsSync(packed)) {
    await pipeline(createReadStream(input.plain), createGzip(), createWriteStream(`${packed}.new`));
    renameSync(`${packed}.new`, packed);
  }
  return { ...input, packed };
}

/** As `makeInput`, without the packed file. */
export async function makePlainInput(name: string, { bytes = 0, events, of }: Size): Promise<PlainInput> {
  const source = sourceFile(of ?? 'diff/a100_eager.json.gz');
  const json = gunzipSync(readFileSync(source)).toString('latin1');
  const from = json.indexOf('[', json.indexOf('"traceEvents"')) + 1;
  const to = endOfRows(json, from);
  const body = json.slice(from, to).trimEnd();
  const eventsOfBody = body.split('"ph":').length - 1;
  const times = Math.max(1, Math.ceil(events === undefined ? bytes / body.length : events / eventsOfBody));
  const plain = join(FOLDER, `${name}.json`);
  mkdirSync(FOLDER, { recursive: true });
  if (!existsSync(plain)) await write(plain, repeated(json.slice(0, from), body, times, json.slice(to)));
  return { plain, jsonBytes: statSync(plain).size, events: eventsOfBody * times, source };
}

function sourceFile(name: string): string {
  const real = join(TRACES, name);
  return existsSync(real) ? real : 'examples/three-steps.json.gz';
}

/** Writers put the `]` behind the rows on a line of its own; without lines it is the last one. */
function endOfRows(json: string, from: number): number {
  const line = json.indexOf('\n  ]', from);
  return line > from ? line : json.lastIndexOf(']');
}

async function write(path: string, chunks: Iterable<Buffer>): Promise<void> {
  await pipeline(chunks, createWriteStream(`${path}.new`));
  renameSync(`${path}.new`, path);
}

function* repeated(head: string, body: string, times: number, tail: string): Generator<Buffer> {
  const { literals, numbers, kinds } = takeApart(body);
  const steps = spanOf(numbers, kinds, 'step') + 1;
  const time = spanOf(numbers, kinds, 'time') + 1000;
  const ids = spanOf(numbers, kinds, 'id') + 1;
  yield Buffer.from(head, 'latin1');
  for (let turn = 0; turn < times; turn++) {
    const parts: string[] = turn === 0 ? [] : [','];
    for (let index = 0; index < numbers.length; index++) {
      const kind = kinds[index];
      const more = turn * (kind === 'time' ? time : kind === 'step' ? steps : ids);
      parts.push(literals[index] ?? '', String((numbers[index] ?? 0) + more));
    }
    parts.push(literals[numbers.length] ?? '');
    yield Buffer.from(parts.join(''), 'latin1');
  }
  yield Buffer.from(tail, 'latin1');
}

type Kind = 'time' | 'id' | 'step' | 'fixed';

function takeApart(body: string): { literals: string[]; numbers: number[]; kinds: Kind[] } {
  const literals: string[] = [];
  const numbers: number[] = [];
  const kinds: Kind[] = [];
  let at = 0;
  for (const match of body.matchAll(MOVING)) {
    const digits = match[1] ?? match[2] ?? '';
    const begin = match.index + match[0].length - digits.length;
    literals.push(body.slice(at, begin));
    numbers.push(Number(digits));
    at = begin + digits.length;
    if (match[2] !== undefined) kinds.push('step');
    else if (!match[0].startsWith('"ts"')) kinds.push('id');
    // Rows of another clock stay where they are.
    else kinds.push(Number(digits) > 1e12 ? 'time' : 'fixed');
  }
  literals.push(body.slice(at));
  return { literals, numbers, kinds };
}

function spanOf(numbers: readonly number[], kinds: readonly Kind[], kind: Kind): number {
  let lowest = Infinity;
  let highest = -Infinity;
  numbers.forEach((value, index) => {
    if (kinds[index] !== kind) return;
    lowest = Math.min(lowest, value);
    highest = Math.max(highest, value);
  });
  return highest < lowest ? 0 : highest - lowest;
}
