// Traces of any size for benchmarks: the events of a real trace (of the example where there is none), again and again, with times and
// ids moved on. Kept in the system's folder for temporary files, and made anew only where they are missing.
import { createWriteStream, existsSync, mkdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip, gunzipSync } from 'node:zlib';

const FOLDER = join(tmpdir(), 'longpole-bench');
const REAL = join(process.env['LONGPOLE_TRACES'] ?? '../shared/traces', 'diff/a100_eager.json.gz');
const SOURCE = existsSync(REAL) ? REAL : 'examples/three-steps.json.gz';

/** What a benchmark may ask for by name. */
export const SIZES: Readonly<Record<string, { readonly bytes?: number; readonly events?: number }>> = {
  '100MB': { bytes: 1e8 },
  '1GB': { bytes: 1e9 },
  '1M': { events: 1e6 },
  '5M': { events: 5e6 },
};

export interface Input {
  readonly plain: string;
  readonly packed: string;
  readonly jsonBytes: number;
  readonly events: number;
  readonly source: string;
}

/** A number that moves on with each repetition: a time, an id, the number of a step. */
const MOVING = /"(?:ts|id|correlation|External id)": ?(\d+)|ProfilerStep#(\d+)/g;

/** Trace files of at least `bytes` of JSON, or of at least `events` events. */
export async function makeInput(
  name: string,
  size: { readonly bytes?: number; readonly events?: number },
): Promise<Input> {
  const json = gunzipSync(readFileSync(SOURCE)).toString('latin1');
  const from = json.indexOf('[', json.indexOf('"traceEvents"')) + 1;
  const to = json.lastIndexOf('\n  ]') > from ? json.lastIndexOf('\n  ]') : json.lastIndexOf(']');
  const body = json.slice(from, to).trimEnd();
  const eventsOfBody = body.split('"ph":').length - 1;
  const times = Math.max(
    1,
    Math.ceil(size.events === undefined ? (size.bytes ?? 0) / body.length : size.events / eventsOfBody),
  );
  const plain = join(FOLDER, `${name}.json`);
  const packed = `${plain}.gz`;
  mkdirSync(FOLDER, { recursive: true });
  if (!existsSync(plain)) await write(plain, repeated(json.slice(0, from), body, times, json.slice(to)));
  if (!existsSync(packed)) {
    const { createReadStream } = await import('node:fs');
    await pipeline(createReadStream(plain), createGzip(), createWriteStream(`${packed}.new`));
    renameSync(`${packed}.new`, packed);
  }
  return { plain, packed, jsonBytes: statSync(plain).size, events: eventsOfBody * times, source: SOURCE };
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
  return { literals, numbers: numbers.map((each) => each), kinds };
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
