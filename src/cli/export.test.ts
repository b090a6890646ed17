/** The built program as a process: `npm test` builds it first. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { jsonOf } from '../test-kit/draw.ts';

const BIN = fileURLToPath(new URL('../../bin/longpole.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'longpole-export-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(
  join(folder, 'trace.json'),
  jsonOf('cpu 1 | aten::mm@0+20 cudaLaunchKernel#1@5+10\ngpu 0.7 | void gemm(a; b)#1@30+40'),
);

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const longpole = (...args: string[]): Promise<Ended> =>
  new Promise((resolve) => {
    execFile(process.execPath, [BIN, ...args], { cwd: folder }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
    );
  });

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
    [['ops', 'trace.json', '--by', 'name'], /--by 'name' is none of op, shape, module, python, annotation/],
    [['ops', 'trace.json', '--tree', 'up'], /--tree 'up' is none of top-down, bottom-up/],
  ])('%j is wrong usage, in one line', async (args, message) => {
    const { code, stdout, stderr } = await longpole(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });
});
