/** A folder on the command line. The built program maps its ranks in threads, the one in this process one after the other. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dataParallel } from '../sim/programs/data-parallel.ts';
import { writeJobFolder } from '../test-kit/job-folder.ts';
import { runBuilt } from '../test-kit/run-built.ts';
import { runIn } from '../test-kit/run-in-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'longpole-cli-job-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeAll(() =>
  writeJobFolder(
    join(folder, 'job'),
    dataParallel({ ranks: 4, steps: 3, layers: 2, straggler: { rank: 2, kind: 'device', factor: 1.5 } }),
  ),
);

const longpole = (...args: readonly string[]) => runIn(folder, args);
/** As a process. */
const built = (...args: readonly string[]) => runBuilt(folder, args);

const json = async (...args: readonly string[]): Promise<Record<string, unknown>> => {
  const { code, stdout, stderr } = await longpole(...args, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as Record<string, unknown>;
};

describe('of a folder', () => {
  test.each([
    ['report', []],
    ['critical-path', []],
    ['info', []],
    ['what-if', ['--balance']],
    ['what-if', ['--no-host-gaps', '--scale', 'kind:kernel=0.5', '--balance']],
    ['what-if', ['--launch-latency', '0us', '--ranks', '0,2..3']],
  ] as const)('%s answers in text of 100 columns and in JSON with its schema', async (command, more) => {
    const { code, stdout, stderr } = await longpole(command, 'job', ...more);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).not.toMatch(/\b(NaN|undefined|Infinity)\b/);
    for (const line of stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(100);
    expect(await json(command, 'job', ...more)).toMatchObject({ schema: `longpole.${command}/1` });
  });

  test.each([[''], ['--json'], ['--markdown']])(
    'a window that no rank has is no answer, as it is of one trace (%s)',
    async (form) => {
      const { code, stderr } = await longpole('report', 'job', '--step', '99', ...(form === '' ? [] : [form]));
      expect(code).toBe(3);
      expect(stderr).toBe('longpole: report does not apply: the trace has no such step; it has 0 to 2\n');
    },
  );

  test('a window that no rank has is not told as one rank alone', async () => {
    const why = 'none of the 4 ranks has a path of its own: the trace has no such step; it has 0 to 2';
    const { stdout } = await longpole('report', 'job', '--step', '99');
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(`No path across ranks: ${why}.`);
    const path = await longpole('critical-path', 'job', '--step', '99');
    expect(path).toMatchObject({ code: 3, stderr: `longpole: critical-path does not apply: ${why}\n` });
  });

  test('an event without its rank, or a rank without its event, is shown how both are given', async () => {
    const { code, stderr } = await longpole('explain', 'job', 'r-3');
    expect(code).toBe(2);
    expect(stderr).toContain('for example: longpole explain FOLDER r-3/e-123');
  });

  test('map says of a folder without traces that it is one, and not that it is not there', async () => {
    mkdirSync(join(folder, 'nothing'));
    const { code, stderr } = await longpole('map', 'nothing', '--out', 'out-of-nothing');
    expect(code).toBe(2);
    expect(stderr).toMatch(/^longpole: nothing: a folder without a trace .*; for example: longpole map /);
  });

  test('a list and a pattern are the same job', async () => {
    const whole = await longpole('job');
    const names = [3, 0, 2, 1].map((rank) => join('job', `rank-${rank}.json.gz`));
    expect(await longpole(...names)).toEqual(whole);
    expect(await longpole('job/rank-?.json.gz')).toEqual(whole);
  });

  test('map and reduce give its bytes, in every form', async () => {
    const mapped = await built('map', 'job', '--out', 'out');
    expect(mapped).toEqual({ code: 0, stdout: '', stderr: 'out: 4 ranks mapped\n' });
    expect(await longpole('map', 'job', '--out', 'out')).toMatchObject({
      stderr: 'out: 0 ranks mapped, 4 there already\n',
    });
    for (const form of [[], ['--json'], ['--markdown'], ['--limit', '2']]) {
      expect(await longpole('reduce', 'out', ...form)).toEqual(await longpole('report', 'job', ...form));
    }
    const page = await built('reduce', 'out', '--html', '-');
    expect(page).toEqual(await built('report', 'job', '--html', '-'));
    expect(page).toMatchObject({ code: 0, stdout: expect.stringMatching(/^<!doctype html>/i) });
  });

  test('threads give the bytes of one thread', async () => {
    expect(await built('job', '--json')).toEqual(await longpole('job', '--json'));
  });

  test('the straggler is named, and what its balance wins', async () => {
    const { stdout } = await longpole('job');
    expect(stdout).toMatch(/Rank 2\s+holds the others\s+up/);
    const { winNs, measuredNs, predictedNs } = await json('what-if', 'job', '--balance', '2');
    expect(winNs).toBeGreaterThan(0);
    expect(Number(measuredNs) - Number(predictedNs)).toBe(winNs);
  });

  test('kernels of the slow rank win what others wait for it; those of another rank next to nothing', async () => {
    const win = async (...ranks: string[]): Promise<number> => {
      const forecast = await json('what-if', 'job', '--scale', 'kind:kernel=0.7', ...ranks);
      const { winNs, predictedNs, predicted, measured, measuredNs } = forecast as Record<'winNs', number> &
        Record<'predictedNs' | 'measuredNs', number> &
        Record<'predicted' | 'measured', Record<'breakdown' | 'byRank', { totalNs: number }[]>>;
      const sum = (rows: { totalNs: number }[]): number => rows.reduce((total, row) => total + row.totalNs, 0);
      expect(sum(predicted.breakdown)).toBe(predictedNs);
      expect(sum(predicted.byRank)).toBe(predictedNs);
      expect(sum(measured.breakdown)).toBe(measuredNs);
      return winNs;
    };
    const [slow, other, all] = [await win('--ranks', '2'), await win('--ranks', '0'), await win()];
    expect(slow).toBeGreaterThan(0);
    expect(other).toBeLessThan(slow / 10);
    expect(all).toBeGreaterThanOrEqual(slow);
  });

  test.each([
    [3, ['--remove', 'kind:collective'], 'in which other ranks meet'],
    [2, ['--balance', '--range', '1ms..2ms'], '--range has fixed borders'],
    [2, ['--no-host-gaps', '--range', '1ms..2ms'], '--range has fixed borders'],
    [2, ['--scale', 'no such op=0.5'], 'no op or kernel of the trace matches'],
    [2, ['--no-host-gaps', '--ranks', '9'], '--ranks 9: no such rank'],
    [2, ['--balance', '--ranks', '1'], '--ranks says in which ranks to change something'],
  ] as const)('what cannot be changed is said (exit %d): %j', async (exit, flags, why) => {
    const { code, stdout, stderr } = await longpole('what-if', 'job', ...flags);
    expect({ code, stdout }).toEqual({ code: exit, stdout: '' });
    expect(stderr).toContain(why);
  });

  test('the path sums to the windows, and its segments name ranks', async () => {
    const { path, window } = (await json('critical-path', 'job')) as {
      path: {
        totalNs: number;
        breakdown: { totalNs: number }[];
        segments: { rank: number; startNs: number; endNs: number; kind: string }[];
      };
      window: { wallNs: number };
    };
    expect(path.totalNs).toBe(window.wallNs);
    expect(path.segments.reduce((sum, { startNs, endNs }) => sum + endNs - startNs, 0)).toBe(path.totalNs);
    expect(path.breakdown.reduce((sum, row) => sum + row.totalNs, 0)).toBe(path.totalNs);
    expect(path.segments.some(({ rank }) => rank === 2)).toBe(true);
    expect(path.segments.filter(({ kind }) => kind === 'in-rank')).toEqual([]);
  });

  test('a call is explained across ranks', async () => {
    const { job } = (await json('report', 'job')) as {
      job: { waits: { result: { rows: { last: number; event: number }[] } } };
    };
    const [{ last, event } = { last: -1, event: -1 }] = job.waits.result.rows;
    const { stdout } = await longpole('explain', 'job', `r-${last}/e-${event}`);
    expect(stdout).toContain('across ranks: all-reduce of 4 ranks, matched by sequence');
    expect(stdout).toMatch(RegExp(`rank ${last} came last|a tie`));
  });

  test('--rank makes it one trace, or a smaller job', async () => {
    expect(await longpole('kernels', 'job', '--rank', '3')).toEqual(
      await longpole('kernels', join('job', 'rank-3.json.gz')),
    );
    const { stdout } = await longpole('job', '--rank', '0,2..3');
    expect(stdout).toMatch(/^3 ranks of 4.*\nnot here: rank 1\n/);
  });

  test('what is known of groups can be given', async () => {
    writeFileSync(join(folder, 'groups.json'), '[{ "name": "0", "kind": "tensor" }]');
    const { stdout } = await longpole('job', '--groups', 'groups.json');
    expect(stdout).toMatch(/tensor parallel, 100 % sure from file: group of 4, stride 1/);
    writeFileSync(join(folder, 'wrong.json'), '[{ "name": "0", "kind": "tensr" }]');
    const { code, stderr } = await longpole('job', '--groups', 'wrong.json');
    expect(code).toBe(2);
    expect(stderr).toMatch(/^longpole: --groups wrong\.json: group 1 needs a "kind" out of data, .*\n$/);
  });

  test('a file that cannot be read is named and the rest answered; none at all is an error', async () => {
    const rank = readFileSync(join(folder, 'job', 'rank-0.json.gz'));
    writeFileSync(join(folder, 'rank-0.json.gz'), rank);
    writeFileSync(join(folder, 'rank-1.json.gz'), 'no trace');
    const some = await longpole('report', 'rank-0.json.gz', 'rank-1.json.gz');
    expect(some.code).toBe(0);
    expect(some.stdout).toContain('cannot be read: rank-1.json.gz: no JSON');
    writeFileSync(join(folder, 'rank-0.json.gz'), 'nor this');
    const none = await longpole('report', 'rank-0.json.gz', 'rank-1.json.gz');
    expect(none.code).toBe(2);
    expect(none.stderr).toContain('none of the files can be read');
  });

  test('where two files claim one rank, JSON makes up no other', async () => {
    writeFileSync(join(folder, 'again.json.gz'), readFileSync(join(folder, 'job', 'rank-0.json.gz')));
    const ranksOf = async (command: string): Promise<(number | undefined)[]> => {
      const { stdout: text } = await longpole(command, 'job/rank-0.json.gz', 'again.json.gz', '--json');
      const document = JSON.parse(text) as { ranks?: { rank?: number }[]; job: { ranks?: { rank?: number }[] } };
      return (document.ranks ?? document.job.ranks ?? []).map(({ rank }) => rank);
    };
    // What a trace says of itself, and nothing of what the others make of it.
    expect(await ranksOf('info')).toEqual([0, 0]);
    expect(await ranksOf('report')).toEqual([undefined, undefined]);
  });

  test('files of two runs are told apart, with exit code 3', async () => {
    writeFileSync(
      join(folder, 'rank-7.json'),
      '[{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1e15,"dur":5}]',
    );
    const { code, stdout, stderr } = await longpole('job/rank-0.json.gz', 'rank-7.json');
    expect(code).toBe(3);
    expect(stdout).toContain('not one run: ');
    expect(stderr).toMatch(/^longpole: report: the files are not of one run: .*\n$/);
    const info = await longpole('info', 'job/rank-0.json.gz', 'rank-7.json');
    expect(info.code).toBe(3);
    expect(info.stderr).toMatch(/^longpole: info: the files are not of one run: .*\n$/);
  });
});
