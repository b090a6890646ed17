/** `export` and `ops` on the command line. */
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { jsonOf } from '../test-kit/draw.ts';
import { runBuilt } from '../test-kit/run-built.ts';
import { runIn } from '../test-kit/run-in-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'longpole-export-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(
  join(folder, 'trace.json'),
  jsonOf('cpu 1 | aten::mm@0+20 cudaLaunchKernel#1@5+10\ngpu 0.7 | void gemm(a; b)#1@30+40'),
);

const longpole = (...args: readonly string[]) => runIn(folder, args);

describe('export --format folded', () => {
  test('own host time on standard output', async () => {
    const ended = await longpole('export', 'trace.json', '--format', 'folded');
    expect(ended).toEqual({ code: 0, stdout: 'aten::mm 10000\naten::mm;cudaLaunchKernel 10000\n', stderr: '' });
  });
  test('device time into a compressed file', async () => {
    const ended = await longpole(
      'export',
      'trace.json',
      '--format',
      'folded',
      '--weight',
      'device',
      '--out',
      'a.txt.gz',
    );
    expect(ended).toMatchObject({ code: 0, stdout: '' });
    expect(ended.stderr).toBe('wrote a.txt.gz: 1 stack, device time in ns\n');
    const text = gunzipSync(readFileSync(join(folder, 'a.txt.gz'))).toString();
    expect(text).toBe('aten::mm;cudaLaunchKernel;void gemm(a: b) 40000\n');
    expect(readdirSync(folder).filter((name) => name.includes('unfinished'))).toEqual([]);
  });
  test.each([
    [['export', 'trace.json'], /export needs a format/],
    [['export', 'trace.json', '--format', 'folde'], /did you mean folded\?/],
    [['export', 'trace.json', '--format', 'folded', '--weight', 'gpu'], /--weight 'gpu' is none of host, device/],
    [['export', 'trace.json', '--format', 'folded', '--out', 'trace.json'], /is the trace itself/],
    [['export', 'trace.json', '--format', 'folded', '--out', 'no/where.txt'], /no such folder: no/],
    [['ops', 'trace.json', '--tree', 'top-down', '--by', 'module'], /--tree has no --by/],
    [['ops', 'trace.json', '--sort', 'total', '--tree', 'bottom-up'], /--tree has no --sort/],
    [['ops', 'trace.json', '--sequences', '--by', 'shape'], /--sequences has no --by/],
    [['ops', 'trace.json', '--sequences', '--tree', 'top-down'], /--tree and --sequences are different answers/],
    [['ops', 'trace.json', '--by', 'name'], /--by 'name' is none of op, shape, module, python, annotation/],
    [['ops', 'trace.json', '--tree', 'up'], /--tree 'up' is none of top-down, bottom-up/],
  ])('%j is wrong usage, in one line', async (args, message) => {
    const { code, stdout, stderr } = await longpole(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });
});

test('where no op has any time, neither ops nor its stacks have an answer', async () => {
  writeFileSync(join(folder, 'instants.json'), jsonOf('ann 1 | all@0+50\ncpu 1 | a@0+0 b@10+0'));
  const why = 'does not apply: no op or call has any time in whole trace\n';
  expect(await longpole('ops', 'instants.json')).toMatchObject({
    code: 3,
    stdout: '',
    stderr: expect.stringContaining(why),
  });
  expect(await longpole('export', 'instants.json', '--format', 'folded')).toMatchObject({
    code: 3,
    stdout: '',
    stderr: expect.stringContaining(why),
  });
});

test('stacks as deep as a stack overflow are written in time and memory of their text', async () => {
  const depth = 20_000;
  const ops = Array.from({ length: depth }, (_, i) => `f@${i}ns+${2 * (depth - i)}ns`).join(' ');
  writeFileSync(join(folder, 'deep.json'), jsonOf(`cpu 1 | ${ops}`));
  // As a process, since a stack is as deep as the process has it.
  const ended = await runBuilt(folder, ['export', 'deep.json', '--format', 'folded', '--out', 'deep.txt']);
  expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining('stacks deeper than 1,000 frames') });
  const lines = readFileSync(join(folder, 'deep.txt'), 'utf8').trimEnd().split('\n');
  expect(Math.max(...lines.map((line) => line.split(';').length))).toBe(1_000);
  // No time is lost: what is deeper counts for the last frame that is written.
  const sum = lines.reduce((total, line) => total + Number(line.split(' ').at(-1)), 0);
  expect(sum).toBe(2 * depth);
});
