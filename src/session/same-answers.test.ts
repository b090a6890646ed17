// However a file is read, the answers are the same, byte by byte: with either scanner, by one thread or by two, plain or compressed, and from
// what was kept of it. A simulated trace and two public ones; with LONGPOLE_ALL_TRACES (as `npm run test:full` has it) all of them.
// The second thread is started from what was built.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { gunzipSync, gzipSync } from 'node:zlib';
import { PLAIN_KINETO } from '../sim/kineto-options.ts';
import { kinetoText } from '../sim/kineto.ts';
import { READY_PROGRAMS } from '../sim/programs/ready-programs.ts';
import { JobRun } from '../sim/run.ts';
import { allAnswers, otherAnswers } from '../test-kit/all-answers.ts';
import { realTrace, realTraceFiles } from '../test-kit/traces.ts';
import type { Trace } from '../trace/trace.ts';
import type { CacheOptions } from './cache/cached-trace.ts';
import { type FileOptions, openTrace } from './open-node.ts';

const folder = mkdtempSync(join(tmpdir(), 'longpole-answers-'));
afterAll(() => rmSync(folder, { recursive: true }));

type Program = keyof typeof READY_PROGRAMS;

const IS_FULL = process.env['LONGPOLE_ALL_TRACES'] !== undefined;
const FEW = ['sync/multi_stream.json.gz', 'diff/bert_h100.json.gz'];
const REAL = IS_FULL ? realTraceFiles() : FEW;
const PROGRAMS = IS_FULL ? (Object.keys(READY_PROGRAMS) as Program[]) : (['moe'] as const);

/** Says in a file of its own that it ran: a thread that never started proves nothing. */
const WITNESS = join(folder, 'witness');
const WORKER = join(folder, 'worker.mjs');
writeFileSync(WITNESS, '');
writeFileSync(
  WORKER,
  `import { appendFileSync } from 'node:fs';
appendFileSync(${JSON.stringify(WITNESS)}, 'x');
await import(${JSON.stringify(new URL('../../dist/rest-worker.js', import.meta.url).href)});
`,
);
const SHARED = { fromBytes: 1, worker: new URL(`file://${WORKER}`) };

/** The same JSON as it is, and in gzip. */
interface Files {
  readonly plain: string;
  readonly gzip: string;
}

let written = 0;
function filesOf(name: string, json: Uint8Array): Files {
  const plain = join(folder, `${written++}-${basename(name).replace(/\.gz$/, '')}`);
  writeFileSync(plain, json);
  writeFileSync(`${plain}.gz`, gzipSync(json, { level: 1 }));
  return { plain, gzip: `${plain}.gz` };
}

function simulated(program: Program): Files {
  const job = READY_PROGRAMS[program]();
  const loss = { ...PLAIN_KINETO.loss, syncRows: 0.1, deviceRows: 0.02 };
  return filesOf(
    `${program}.json`,
    Buffer.from(kinetoText(job, new JobRun(job).truthOf(0), { ...PLAIN_KINETO, loss })),
  );
}

function real(file: string): Files {
  const bytes = readFileSync(realTrace(file));
  return filesOf(file, file.endsWith('.gz') ? gunzipSync(bytes) : bytes);
}

/** With these settings of the environment, as a user has them. */
async function openedWith(env: Readonly<Record<string, string>>, path: string, options: FileOptions): Promise<Trace> {
  const before = new Map(Object.keys(env).map((key) => [key, process.env[key]]));
  Object.assign(process.env, env);
  try {
    const read = await openTrace(path, { file: 'trace.json', ...options });
    if (!read.ok) throw new Error(read.error.message);
    return read.value;
  } finally {
    for (const [key, value] of before) {
      if (value === undefined) delete process.env[key];
      else process.env[key] = value;
    }
  }
}

/** Reads it and keeps it, and then reads what was kept. */
async function keptOf(path: string): Promise<Trace> {
  let writing: Promise<void> | undefined;
  let wasRead = false;
  const cache: CacheOptions = {
    folder: join(folder, `cache-${written++}`),
    fromBytes: 0,
    onWriting: (done) => void (writing = done),
  };
  await openedWith({}, path, { cache });
  await writing;
  const kept = await openedWith({}, path, { cache, onProgress: () => (wasRead = true) });
  expect(wasRead, 'the file was read again').toBe(false);
  return kept;
}

const threadsSeen = (): number => readFileSync(WITNESS, 'utf8').length;

/** Files of which the second thread's half was taken: the first one tells of no more than its own. */
const taken = new Set<string>();

async function sharedBy(scanner: string, { plain }: Files): Promise<Trace> {
  const before = threadsSeen();
  let told = 0;
  const trace = await openedWith({ LONGPOLE_SCANNER: scanner, LONGPOLE_WORKERS: '2' }, plain, {
    shared: SHARED,
    onProgress: (bytes) => (told = bytes),
  });
  if (told < statSync(plain).size) taken.add(plain);
  if (availableParallelism() > 1) expect(threadsSeen(), 'threads that read').toBe(before + 1);
  return trace;
}

const WAYS: Readonly<Record<string, (files: Files) => Promise<Trace>>> = {
  'gzip, TypeScript': ({ gzip }) => openedWith({ LONGPOLE_SCANNER: 'ts' }, gzip, {}),
  'plain, WebAssembly, one thread': ({ plain }) =>
    openedWith({ LONGPOLE_SCANNER: 'wasm', LONGPOLE_WORKERS: '1' }, plain, { shared: SHARED }),
  'plain, TypeScript, one thread': ({ plain }) =>
    openedWith({ LONGPOLE_SCANNER: 'ts', LONGPOLE_WORKERS: '1' }, plain, { shared: SHARED }),
  'plain, WebAssembly, two threads': (files) => sharedBy('wasm', files),
  'plain, TypeScript, two threads': (files) => sharedBy('ts', files),
  'from the cache': ({ gzip }) => keptOf(gzip),
};

async function otherwise(files: Files): Promise<string[]> {
  const usual = allAnswers(await openedWith({ LONGPOLE_SCANNER: 'wasm' }, files.gzip, {}));
  expect(usual.size).toBeGreaterThan(10);
  const found: string[] = [];
  for (const [way, open] of Object.entries(WAYS)) {
    const other = otherAnswers(usual, allAnswers(await open(files)));
    found.push(...other.map((question) => `${way}: ${question}`));
  }
  for (const file of Object.values(files)) rmSync(file);
  return found;
}

describe('the answers do not depend on how a file is read', () => {
  test.each(PROGRAMS)('simulated: %s', async (program) => {
    const files = simulated(program);
    expect(await otherwise(files)).toEqual([]);
    if (availableParallelism() > 1) expect(taken).toContain(files.plain);
  });

  test.each(REAL)('%s', async (file) => {
    expect(await otherwise(real(file))).toEqual([]);
  });
});
