import { readFileSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { differences } from '../test-kit/differences.ts';
import { seededRandom } from '../test-kit/random.ts';
import { realJson } from '../test-kit/traces.ts';
import type { Result } from '../base/result.ts';
import type { Trace } from '../trace/trace.ts';
import { RestReader } from './read-rest.ts';
import { TraceReader, type ReadError, type ScannerChoice } from './read-trace.ts';

interface Halves {
  readonly read: Result<Trace, ReadError>;
  /** The second half was taken over, and not read again. */
  readonly isShared: boolean;
}

function readInHalves(bytes: Uint8Array, cut: number, scanner: ScannerChoice): Halves {
  const isBare = bytes.find((byte) => byte > 0x20) === 0x5b;
  const second = new RestReader({ byteOffset: cut, isBare }, { scanner });
  second.push(bytes.slice(cut));
  // Another thread gets a copy.
  const rest = structuredClone(second.finish());
  const reader = new TraceReader({ file: 'trace', scanner });
  reader.push(bytes.slice(0, cut));
  const isShared = reader.addRest(rest);
  if (!isShared) reader.push(bytes.slice(cut));
  return { read: reader.finish(), isShared };
}

function readWhole(bytes: Uint8Array, scanner: ScannerChoice): Result<Trace, ReadError> {
  const reader = new TraceReader({ file: 'trace', scanner });
  reader.push(bytes);
  return reader.finish();
}

/** Holds the two readings against each other; says whether the second half was taken over. */
function compare(bytes: Uint8Array, cut: number, scanner: ScannerChoice, whole: Result<Trace, ReadError>): boolean {
  const { read, isShared } = readInHalves(bytes, cut, scanner);
  if (read.ok && whole.ok) expect([cut, differences(read.value, whole.value)]).toEqual([cut, []]);
  else expect([cut, read]).toEqual([cut, whole]);
  return isShared;
}

const encode = (json: string): Uint8Array => new TextEncoder().encode(json);
const openBrackets = (bytes: Uint8Array): number[] =>
  Array.from(bytes.keys()).filter((at) => bytes[at] === 0x7b && at > 0);

const ROWS = [
  '{"ph":"M","name":"process_name","pid":1,"args":{"name":"a"}}',
  '{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":5,"dur":9,"args":{"External id":3,"x":[{"ph":"X"},{"ph":"X","name":"no row"}]}}',
  '{"ph":"B","cat":"cpu_op","name":"b","pid":1,"tid":2,"ts":5}',
  '{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":6.5,"dur":1,"args":{"stream":7,"device":0,"correlation":12,"Collective name":"allreduce","dtype":"f"}}',
  '{"ph":"E","pid":1,"tid":2,"ts":8,"args":{"Collective name":"late"}}',
  '{"ph":"X","cat":"other","name":"c","tid":"t","ts":4,"dur":-1}',
  '{"ph":"M","name":"process_name","pid":1,"args":{"name":"b"}}',
  '{"ph":"M","name":"thread_name","pid":0,"tid":7,"args":{"name":"stream 7"}}',
  '{"name":"},{\\"ph\\":\\"X\\"","ph":"i","ts":3}',
];

test.each(['ts', 'wasm'] as const)('%s: cut at each opening bracket, the halves are the whole', (scanner) => {
  const list = `[${ROWS.join(',')} , ${ROWS.join(',\n')}]`;
  for (const json of [list, `{"baseTimeNanoseconds": 5, "traceEvents": ${list}, "distributedInfo": {"rank": 3}}`]) {
    const bytes = encode(json);
    const whole = readWhole(bytes, scanner);
    const cuts = openBrackets(bytes);
    const shared = cuts.filter((cut) => compare(bytes, cut, scanner, whole));
    // Each row but the first begins one; what is nested, or in a text, does not.
    expect(shared).toHaveLength(ROWS.length * 2 - 1);
  }
});

const DAMAGE = new URL('../../fixtures/damage/', import.meta.url);

test('damaged files, cut at each opening bracket', () => {
  for (const file of readdirSync(DAMAGE).filter((each) => each.endsWith('.json'))) {
    const bytes = new Uint8Array(readFileSync(new URL(file, DAMAGE)));
    const whole = readWhole(bytes, 'ts');
    for (const cut of openBrackets(bytes).slice(0, 40)) compare(bytes, cut, 'ts', whole);
  }
});

test.each(['sync/alexnet.json.gz', 'single/nccl_args_a100_rank0of2.json.gz', 'old/resnet50_2021_v100.json.gz'])(
  '%s, cut anywhere',
  (file) => {
    const bytes = realJson(file);
    const random = seededRandom(4);
    const whole = readWhole(bytes, 'wasm');
    let shared = 0;
    for (let run = 0; run < 6; run++) {
      const near = Math.floor(random() * bytes.length * 0.9);
      const cut = bytes.indexOf(0x7b, near);
      if (compare(bytes, cut, 'wasm', whole)) shared++;
    }
    expect(shared).toBeGreaterThan(0);
  },
);
