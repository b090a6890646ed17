/** Arguments, answers and exit codes of the command line; and what a process of the built program does, which `npm test` builds first. */
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { jsonOf } from '../test-kit/draw.ts';
import { BIN, runBuilt } from '../test-kit/run-built.ts';
import { runIn } from '../test-kit/run-in-process.ts';
import { LIMITS } from './limits.ts';

const TWO_STREAMS = jsonOf(`
  ann 1    | ProfilerStep#5@0+100 ProfilerStep#6@100+100
  cpu 1    | cudaLaunchKernel#1@5+5 cudaEventRecord#2@12+2 cudaStreamWaitEvent#3@15+2 cudaLaunchKernel#4@20+5 aten::mm@110+40
  gpu 0.7  | gemm#1@15+30
  gpu 0.20 | relu#4@47+5
  sync 0   | StreamWait#3{stream=20,on=7,record=2,event=1}
`);
const DAMAGED = TWO_STREAMS.replace(/"dur": ?30\b/, '"dur":-30');

const folder = mkdtempSync(join(tmpdir(), 'longpole-cli-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, 'trace.json'), TWO_STREAMS);
writeFileSync(join(folder, 'trace.json.gz'), gzipSync(TWO_STREAMS));
writeFileSync(join(folder, 'damaged.json'), DAMAGED);
writeFileSync(join(folder, 'no-events.json'), '{"traceEvents": []}');
writeFileSync(join(folder, 'no-trace.json'), '{"nodes": []}');
writeFileSync(join(folder, 'text.txt'), 'hello');
writeFileSync(join(folder, '-dashed.json'), TWO_STREAMS);
writeFileSync(join(folder, 'twice.json.gz'), gzipSync(gzipSync(TWO_STREAMS)));
writeFileSync(join(folder, 'cut.json.gz'), gzipSync(TWO_STREAMS).subarray(0, 14));
mkdirSync(join(folder, 'job'));
writeFileSync(join(folder, 'job', 'rank10.json'), TWO_STREAMS);
writeFileSync(join(folder, 'job', 'rank2.json'), TWO_STREAMS);
mkdirSync(join(folder, 'empty'));

const longpole = (...args: readonly string[]) => runIn(folder, args);
/** As a process. */
const built = (args: readonly string[], input?: string | Buffer) => runBuilt(folder, args, input);

describe('help', () => {
  test('names the commands that exist', async () => {
    const { code, stdout, stderr } = await longpole('--help');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const word of ['report', 'critical-path', 'sync', 'what-if', 'demo', 'Exit codes']) {
      expect(stdout).toContain(word);
    }
    for (const later of ['diff', 'query']) expect(stdout).not.toContain(later);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
  });
  test('of a command', async () => {
    const { code, stdout } = await longpole('critical-path', '--help');
    expect(code).toBe(0);
    for (const flag of [
      '--step',
      '--steps',
      '--annotation',
      '--match',
      '--instance',
      '--range',
      '--overlay',
      '--json',
    ]) {
      expect(stdout).toContain(flag);
    }
  });
  test.each(Object.entries(LIMITS))('%s says how long its lists are', async (command, limit) => {
    const { stdout } = await longpole(command, '--help');
    expect(stdout).toMatch(
      command === 'report' || command === 'demo' ? /--limit.*\(all\)/ : RegExp(`--limit.*\\(${limit}`),
    );
  });
  test('version', async () =>
    expect(await built(['--version'])).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    }));
});

describe('usage errors are one line and exit code 2', () => {
  test.each([
    [[], 'no trace given; for example: longpole trace.json.gz'],
    [['info'], 'no trace given; for example: longpole info trace.json.gz'],
    [['absent.json'], 'absent.json: no such file; see longpole --help'],
    [['trace.jsom'], 'trace.jsom: no such file; did you mean trace.json?'],
    [['inof', 'trace.json'], 'inof: no such command or file; did you mean info? For example: longpole info trace.json'],
    [['sync', '--jsn', 'trace.json'], "unknown option '--jsn'; did you mean --json?"],
    [['--jsn', 'trace.json'], "unknown option '--jsn'; did you mean --json?"],
    [['info', '--step', '5', 'trace.json'], "unknown option '--step'"],
    [['critical-path', '--step', 'x', 'trace.json'], "--step 'x' is no whole number; for example --step 5"],
    [['critical-path', '--step', '5', '--range', '1ms..2ms', 'trace.json'], '--step and --range each choose a window'],
    [['critical-path', '--range', '1..2', 'trace.json'], 'for example --range 1.2ms..3.4ms'],
    [['critical-path', 'trace.json', '--only-critical'], 'add --overlay FILE'],
    [['critical-path', '-', '--overlay', 'x.json'], 'save it to a file first'],
    [['critical-path', 'trace.json', '--overlay', 'trace.json'], 'is the trace itself'],
    [['critical-path', 'trace.json', '--overlay', 'absent/x.json'], 'absent/x.json: no such folder'],
    [['info', '--limit', 'ten', 'trace.json'], '--limit 20'],
    [['info', '--max-bytes', '10', 'trace.json'], '--max-bytes 2GiB'],
    [['info', '--max-bytes', '10B', 'trace.json'], 'trace.json, byte 10: more than 10 bytes of JSON'],
    [['sync', 'job'], 'job: 2 ranks, and sync answers for one; add --rank 0, or ask for the job: longpole report job'],
    [['info', 'empty'], 'empty: a folder without a trace (*.json, *.json.gz, *.json.zst)'],
    [['sync', 'trace.json', 'trace.json.gz'], '2 files, and sync answers for one; add --rank 0'],
    [['info', 'job', '--rank', '7'], '--rank 7: no such rank here; there are 2, from 2 to 10'],
    [['info', 'job', '--rank', 'x'], "--rank 'x' is no whole number; for example --rank 0,3..5"],
    [['info', 'job/rank*.jsn'], 'job/rank*.jsn: no file matches'],
    [['explain', 'job', 'e-1'], "'e-1' is of any rank; say which: r-0/e-1"],
    [['what-if', 'job', '--overlay', 'x.json', '--no-host-gaps'], '--overlay is of one trace; add --rank 0'],
    [['critical-path', 'job', '--slack'], "--slack is of one rank's path; add --rank 0"],
    [['map', 'job'], 'map needs a folder to write to; for example: longpole map rank3.json.gz --out summaries'],
    [['reduce', 'empty'], 'empty: no summaries in it; longpole map RANKFILE… --out DIR writes them'],
    [['report', 'job', '--executor', 'slrm'], "--executor 'slrm' is none of local, slurm"],
    [['info', 'no-trace.json'], 'no trace'],
    [['info', 'text.txt'], 'no JSON at byte 0'],
    [['info', 'twice.json.gz'], 'no JSON but gzip inside: the file is compressed twice'],
    [['info', 'cut.json.gz'], 'its compressed stream is damaged or cut off'],
    [[''], 'the path is empty'],
    [['info', '-dashed.json'], 'a path that begins with - comes behind --: longpole -- -dashed.json'],
    [['info', '\u001b[31m.json'], '\\x1b[31m.json: no such file'],
  ])('%j', async (args, message) => {
    const { code, stdout, stderr } = await longpole(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^longpole: [^\n]+\n$/);
    expect(stderr).toContain(message);
  });
});

describe('answers', () => {
  test.each(['info', 'sync', 'critical-path', 'report'])(
    '%s --json is one document with its schema',
    async (command) => {
      const { code, stdout, stderr } = await longpole(command, 'trace.json', '--json');
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(JSON.parse(stdout)).toMatchObject({ schema: `longpole.${command}/1` });
    },
  );
  test('without a command it is the report', async () => {
    const bare = await longpole('trace.json');
    expect(bare).toEqual(await longpole('report', 'trace.json'));
    expect(bare.stdout).toContain('ProfilerStep#5 takes 100.0 µs');
    expect(await longpole('--json', 'trace.json')).toEqual(await longpole('report', 'trace.json', '--json'));
  });
  test('the same input by file, gzip and standard input', async () => {
    const path = async (args: string[], input?: string | Buffer) => {
      const { stdout } = await built(['critical-path', '--json', ...args], input);
      const { traces: _, ...rest } = JSON.parse(stdout) as { traces: unknown; path: object };
      return rest;
    };
    const expected = await path(['trace.json']);
    expect(await path(['trace.json.gz'])).toEqual(expected);
    expect(await path(['-'], TWO_STREAMS)).toEqual(expected);
    expect(await path(['-'], gzipSync(TWO_STREAMS))).toEqual(expected);
  });
  test.runIf(process.platform === 'linux')('a pipe is read as a stream, and only once', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const write = (bytes: string | Buffer) =>
      spawn(process.execPath, [
        '-e',
        `process.stdin.pipe(require('fs').createWriteStream(${JSON.stringify(pipe)}))`,
      ]).stdin.end(bytes);
    const expected = await built(['sync', 'trace.json']);
    for (const bytes of [TWO_STREAMS, gzipSync(TWO_STREAMS)]) {
      write(bytes);
      expect(await built(['sync', 'pipe'])).toEqual(expected);
    }
    expect(await built(['sync', '/dev/stdin'], TWO_STREAMS)).toEqual(expected);
    const overlay = await longpole('critical-path', 'pipe', '--overlay', 'x.json');
    expect(overlay).toMatchObject({ code: 2, stderr: expect.stringContaining('save it to a file first') });
  });
  test('a path that begins with - behind --', async () =>
    expect((await longpole('info', '--', '-dashed.json')).code).toBe(0));
  test('windows', async () => {
    const wall = async (...args: string[]) => {
      const { stdout } = await longpole('critical-path', 'trace.json', '--json', ...args);
      return (JSON.parse(stdout) as { window: { wallNs: number } }).window.wallNs;
    };
    expect(await wall('--step', '5')).toBe(100_000);
    expect(await wall('--steps', '5..6')).toBe(200_000);
    expect(await wall('--annotation', 'ProfilerStep#6')).toBe(100_000);
    expect(await wall('--match', 'ProfilerStep', '--instance', '0')).toBe(100_000);
  });
  test('a limit cuts lists and says so', async () => {
    const { stdout } = await longpole('critical-path', 'trace.json', '--json', '--limit', '1');
    const { path } = JSON.parse(stdout) as { path: { segments: unknown[]; segmentsTotal: number } };
    expect(path.segments).toHaveLength(1);
    expect(path.segmentsTotal).toBeGreaterThan(1);
  });
});

describe('what does not apply is exit code 3, with the reason', () => {
  test.each(['sync', 'critical-path', 'report'])('%s without events', async (command) => {
    const text = await longpole(command, 'no-events.json');
    expect(text.code).toBe(3);
    expect(text.stderr).toBe(`longpole: no-events.json: ${command} does not apply: no events\n`);
    const json = await longpole(command, 'no-events.json', '--json');
    expect({ code: json.code, stderr: json.stderr }).toEqual({ code: 3, stderr: '' });
    expect(JSON.parse(json.stdout)).toMatchObject({
      schema: `longpole.${command}/1`,
      status: 'not-applicable',
      reason: 'no events',
    });
  });
  test('info without events is an answer', async () => {
    const { code, stdout } = await longpole('info', 'no-events.json', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ ranks: [{ events: 0, notes: ['no events'] }] });
  });
  test('a window that is not there', async () => {
    const { code, stderr } = await longpole('critical-path', 'trace.json', '--step', '99');
    expect(code).toBe(3);
    expect(stderr).toMatch(
      /^longpole: trace.json: critical-path does not apply: the trace has no such step; it has 5 to 6\n$/,
    );
  });
});

describe('damage', () => {
  test('is one line beside the answer, or part of it', async () => {
    const line = 'data: 1 negative-duration (first at byte ';
    const path = await longpole('critical-path', 'damaged.json');
    expect(path.code).toBe(0);
    expect(path.stderr).toContain(line);
    expect((await longpole('damaged.json')).stdout).toContain(line);
  });
  test('--diagnostics explains it', async () => {
    const meaning = 'a row with a negative duration counts in nothing that measures time';
    expect((await longpole('sync', 'damaged.json', '--diagnostics')).stdout).toContain(meaning);
    const json = await longpole('sync', 'damaged.json', '--diagnostics', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({
      diagnostics: [{ kind: 'negative-duration', count: 1, file: 'damaged.json', meaning }],
    });
  });
});

describe('as a process, with its exit code', () => {
  test.each([
    [0, ['critical-path', 'trace.json']],
    [0, ['critical-path', 'trace.json', '--json']],
    [0, ['damaged.json']],
    [0, ['idle', '--help']],
    [2, ['trace.jsom']],
    [2, ['sync', '--jsn', 'trace.json']],
    [3, ['sync', 'no-events.json']],
    [3, ['report', 'no-events.json', '--json']],
  ])('%d: %j', async (code, args) => {
    const ended = await built(args);
    expect(ended.code).toBe(code);
    expect(ended).toEqual(await longpole(...args));
  });
});

test('a reader that goes away is no error', async () => {
  const child = spawn(process.execPath, [BIN, 'critical-path', 'trace.json', '--json'], { cwd: folder });
  child.stdout.destroy();
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

test.runIf(process.platform === 'linux')('an answer that cannot be written is one line and exit code 2', async () => {
  const full = openSync('/dev/full', 'w');
  const child = spawn(process.execPath, [BIN, 'info', 'trace.json'], { cwd: folder, stdio: ['ignore', full, 'pipe'] });
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  const code = await new Promise((resolve) => child.on('close', resolve));
  closeSync(full);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^longpole: cannot write the answer: ENOSPC[^\n]*\n$/);
});

test('an interrupt is exit code 130', async () => {
  const child = spawn(process.execPath, [BIN, 'info', '-'], { cwd: folder });
  // More than a pipe holds: once all of it is written, the program is reading.
  await new Promise((resolve) => child.stdin.write(`{"traceEvents": [${' '.repeat(1 << 20)}`, resolve));
  child.kill('SIGINT');
  expect(await new Promise((resolve) => child.on('close', resolve))).toBe(130);
});

test('no colours and no progress where there is no terminal', async () => {
  const { stdout, stderr } = await built(['trace.json']);
  expect(stdout).not.toContain('\u001b');
  expect(stderr).toBe('');
});

test('colours on a terminal, which change no word', async () => {
  const { stdout } = await runIn(folder, ['trace.json'], { isTTY: true });
  expect(stdout).toContain('\u001b[');
  expect(stripVTControlCharacters(stdout)).toBe((await longpole('trace.json')).stdout);
});
