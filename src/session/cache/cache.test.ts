import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tableFromIPC } from 'apache-arrow';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { dump } from '../../test-kit/dump.ts';
import { realTrace } from '../../test-kit/traces.ts';
import type { StringId } from '../../trace/ids.ts';
import type { Trace } from '../../trace/trace.ts';
import { openTrace, type FileOptions } from '../open-node.ts';
import { readRawEvent } from '../raw-events.ts';
import { createSession } from '../session.ts';
import { defaultCacheFolder, type CacheOptions } from './cached-trace.ts';

const root = mkdtempSync(join(tmpdir(), 'longpole-cache-'));
afterAll(() => rmSync(root, { recursive: true }));
let folder = '';
let turn = 0;
beforeEach(() => (folder = join(root, `cache-${turn++}`)));

const EXAMPLE = fileURLToPath(new URL('../../../examples/three-steps.json.gz', import.meta.url));

interface Opened {
  readonly trace: Trace;
  /** The file itself was read. */
  readonly wasRead: boolean;
}

/** Opens a file, with all that is kept of it on the disk when this is over. */
async function open(path: string, options: FileOptions = {}, cache: Partial<CacheOptions> = {}): Promise<Opened> {
  let writing: Promise<void> | undefined;
  let wasRead = false;
  const read = await openTrace(path, {
    file: 'trace.json',
    ...options,
    onProgress: () => (wasRead = true),
    cache: { folder, fromBytes: 0, onWriting: (done) => void (writing = done), ...cache },
  });
  await writing;
  if (!read.ok) throw new Error(read.error.message);
  return { trace: read.value, wasRead };
}

/** The only folder that is kept. */
function keptFolder(): string {
  const [name, ...others] = readdirSync(folder);
  expect(others).toEqual([]);
  return join(folder, name ?? '');
}

const answerOf = (trace: Trace): string => JSON.stringify(createSession(trace).report());

test('the second time the file is not read, and the trace is the same', async () => {
  const first = await open(EXAMPLE);
  const second = await open(EXAMPLE);
  expect([first.wasRead, second.wasRead]).toEqual([true, false]);
  expect(dump(second.trace)).toBe(dump(first.trace));
  expect(answerOf(second.trace)).toBe(answerOf(first.trace));
  expect(second.trace.strings.find('no such text')).toBeUndefined();
  const text = first.trace.strings.text(3 as StringId);
  expect(second.trace.strings.find(text)).toBe(3);
});

test.each(['sync/alexnet.json.gz', 'single/nccl_args_a100_rank0of2.json.gz', 'single/mi250_minitoy.json.gz'])(
  '%s',
  async (file) => {
    const path = realTrace(file);
    const first = await open(path);
    const second = await open(path);
    expect(second.wasRead).toBe(false);
    expect(dump(second.trace) === dump(first.trace)).toBe(true);
    expect(answerOf(second.trace) === answerOf(first.trace)).toBe(true);
  },
);

test('texts that UTF-8 cannot spell, damage, the head of the file and the args of one event are kept', async () => {
  const path = join(root, 'odd.json');
  writeFileSync(
    path,
    String.raw`{"baseTimeNanoseconds": 1700000000000000001, "distributedInfo": {"rank": 3, "world_size": 8, "backend": "nccl", "pg_config": [{"pg_name": "0", "ranks": [0, 3]}]},
      "deviceProperties": [{"id": 0, "name": "GPU é"}], "traceEvents": [{"ph":"X","cat":"kernel","name":"a\ud800b","pid":"\udc00",
      "tid":7,"ts":1.5,"dur":2,"args":{"stream":7,"note":{"x":[1]}}}, {"ph":"X"}, {"ph":"M","name":"thread_name","pid":"\udc00","tid":7,
      "args":{"name":"stream 7 \u0000"}}, oops, {"ph":"i","name":"","ts":9}]}`,
  );
  const first = await open(path);
  const second = await open(path);
  expect(second.wasRead).toBe(false);
  expect(dump(second.trace)).toBe(dump(first.trace));
  expect(second.trace.strings.text(second.trace.events.name[0])).toBe(
    first.trace.strings.text(first.trace.events.name[0]),
  );
  expect(await readRawEvent(path, second.trace.events.byteOffset[0])).toMatchObject({
    args: { note: { x: [1] } },
  });
});

test('another time, other bytes or other options are another trace', async () => {
  const path = join(root, 'changing.json');
  const write = (name: string, seconds: number): void => {
    writeFileSync(path, `[{"ph":"X","cat":"cpu_op","name":"${name}","ts":1,"dur":2}]`);
    utimesSync(path, seconds, seconds);
  };
  const nameOf = ({ trace }: Opened): string => trace.strings.text(trace.events.name[0]);
  write('a', 1000);
  expect(nameOf(await open(path))).toBe('a');
  write('b', 1000);
  expect(nameOf(await open(path))).toBe('b');
  write('b', 2000);
  expect((await open(path)).wasRead).toBe(true);
  expect((await open(path, { skip: ['cpu_op'] })).trace.events.length).toBe(0);
  expect((await open(path, { skip: ['cpu_op'] })).wasRead).toBe(false);
  expect((await open(path, { file: 'rank_5.json' })).trace.rank).toBe(5);
  expect((await open(path)).trace.rank).toBeUndefined();
});

test.each<[string, (home: string) => void]>([
  ['a table is cut', (home) => truncateSync(join(home, 'events.arrow'), 100)],
  ['a table is missing', (home) => rmSync(join(home, 'ops.arrow'))],
  [
    'a table is something else',
    (home) =>
      writeFileSync(join(home, 'strings.arrow'), Buffer.alloc(readFileSync(join(home, 'strings.arrow')).length)),
  ],
  ['the manifest is missing', (home) => rmSync(join(home, 'manifest.json'))],
  ['the manifest is cut', (home) => truncateSync(join(home, 'manifest.json'), 20)],
])('where %s the file is read, and kept again', async (_, damage) => {
  const { trace } = await open(EXAMPLE);
  damage(keptFolder());
  const again = await open(EXAMPLE);
  expect(again.wasRead).toBe(true);
  expect(dump(again.trace)).toBe(dump(trace));
  expect((await open(EXAMPLE)).wasRead).toBe(false);
});

test('several that read the same file at once keep it once', async () => {
  const opened = await Promise.all([open(EXAMPLE), open(EXAMPLE), open(EXAMPLE)]);
  expect(new Set(opened.map(({ trace }) => dump(trace))).size).toBe(1);
  expect(readdirSync(keptFolder())).toContain('manifest.json');
  expect((await open(EXAMPLE)).wasRead).toBe(false);
});

test('what was not used for longest goes first, and only what is ours', async () => {
  mkdirSync(join(folder, 'somebody-elses'), { recursive: true });
  mkdirSync(join(folder, '.unfinished-old'));
  utimesSync(join(folder, '.unfinished-old'), 1000, 1000);
  const paths = ['a', 'b', 'c'].map((name) => join(root, `${name}.json.gz`));
  for (const path of paths) cpSync(EXAMPLE, path);
  const [a = '', b = '', c = ''] = paths;
  utimesSync(a, 1, 1);
  utimesSync(b, 2, 2);
  await open(a);
  await open(b);
  for (const name of readdirSync(folder).filter((each) => !each.includes('-'))) {
    utimesSync(join(folder, name, 'manifest.json'), 5000, 5000);
  }
  expect((await open(a)).wasRead).toBe(false);
  const bytes = readdirSync(folder)
    .filter((each) => !each.includes('-'))
    .flatMap((name) => readdirSync(join(folder, name)).map((file) => readFileSync(join(folder, name, file)).length));
  await open(c, {}, { mostBytes: bytes.reduce((sum, each) => sum + each, 0) });
  expect((await open(a)).wasRead).toBe(false);
  expect((await open(c)).wasRead).toBe(false);
  expect((await open(b)).wasRead).toBe(true);
  expect(readdirSync(folder)).toContain('somebody-elses');
  expect(readdirSync(folder)).not.toContain('.unfinished-old');
});

test('where nothing can be kept, the trace is read and the reason told; small files are not kept', async () => {
  writeFileSync(folder, 'a file');
  const failures: unknown[] = [];
  const { trace } = await open(EXAMPLE, {}, { onFailure: (error) => failures.push(error) });
  expect(trace.events.length).toBeGreaterThan(0);
  expect(failures).toHaveLength(1);
  rmSync(folder);
  await open(EXAMPLE, {}, { fromBytes: trace.jsonBytes + 1 });
  expect(() => readdirSync(folder)).toThrow('ENOENT');
});

test('the folder is where XDG_CACHE_HOME says', () => {
  const before = process.env['XDG_CACHE_HOME'];
  process.env['XDG_CACHE_HOME'] = '/somewhere';
  expect(defaultCacheFolder()).toBe('/somewhere/longpole');
  process.env['XDG_CACHE_HOME'] = 'relative';
  expect(defaultCacheFolder()).toMatch(/\/\.cache\/longpole$/);
  if (before === undefined) delete process.env['XDG_CACHE_HOME'];
  else process.env['XDG_CACHE_HOME'] = before;
});

test('other programs can read the tables', async ({ skip }) => {
  const { trace } = await open(EXAMPLE);
  const events = tableFromIPC(readFileSync(join(keptFolder(), 'events.arrow')));
  const texts = tableFromIPC(readFileSync(join(keptFolder(), 'strings.arrow')));
  expect(events.numRows).toBe(trace.events.length);
  expect(events.schema.fields.map(({ name }) => name)).toContain('byteOffset');
  expect(texts.getChild('text')?.get(trace.events.name[5])).toBe(trace.strings.text(trace.events.name[5]));
  const sum = Array.from(trace.events.dur).reduce((all, each) => all + each, 0);
  const programs = {
    pyarrow: `import pyarrow.feather as f; print(int(sum(f.read_table(r'${keptFolder()}/events.arrow')['dur'].to_pylist())))`,
    polars: `import polars as p; print(int(p.read_ipc(r'${keptFolder()}/events.arrow', memory_map=False)['dur'].sum()))`,
  };
  const missing = Object.entries(programs).filter(([name, program]) => {
    const { status, stdout } = spawnSync('python3', ['-c', program], { encoding: 'utf8' });
    if (status !== 0 && spawnSync('python3', ['-c', `import ${name}`]).status !== 0) return true;
    expect(stdout.trim(), name).toBe(String(sum));
    return false;
  });
  if (missing.length > 0) skip(`read with apache-arrow; not installed: ${missing.map(([name]) => name).join(', ')}`);
});
