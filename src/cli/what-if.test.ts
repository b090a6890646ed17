/** `what-if` and `demo` on the command line. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Job } from '../sim/program.ts';
import { READY_PROGRAMS, type ReadyKnobs } from '../sim/programs/ready-programs.ts';
import { jsonOf } from '../test-kit/draw.ts';
import { BIN } from '../test-kit/run-built.ts';
import { runIn } from '../test-kit/run-in-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'longpole-what-if-'));
afterAll(() => rmSync(folder, { recursive: true }));

const longpole = (...args: readonly string[]) => runIn(folder, args);

writeFileSync(
  join(folder, 'trace.json'),
  jsonOf(`
    ann 1   | forward@0+10 ProfilerStep#1@0+70 ProfilerStep#2@100+200
    cpu 1   | cudaLaunchKernel#1@0+2 cudaDeviceSynchronize#2@4+60 cudaLaunchKernel#3@100+2 cudaDeviceSynchronize#4@104+190
    gpu 0.7 | gemm#1@6+56                                         gemm#3@106+186
    sync 0  | ContextSync#2@4+60                                  ContextSync#4@104+190
  `),
);

test('a prediction', async () => {
  const { code, stdout } = await longpole('what-if', 'trace.json', '--step', '1', '--scale', 'gemm=50%', '--force');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^what if: 70\.0 µs becomes 42\.0 µs: a win of 28\.0 µs \(40\.0 %\)/);
});

test('--json', async () => {
  const { code, stdout } = await longpole('what-if', 'trace.json', '--remove', 'gemm', '--force', '--json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    schema: 'longpole.what-if/1',
    status: 'predicted',
    changes: [{ text: '--remove gemm', hostOps: 0, deviceOps: 2 }],
    holdOut: { verdict: 'poor' },
  });
});

test('withheld where steps do not foretell each other', async () => {
  const plain = await longpole('what-if', 'trace.json', '--no-host-gaps');
  expect(plain).toMatchObject({ code: 3, stdout: '' });
  expect(plain.stderr).toMatch(/^longpole: trace\.json: the prediction is withheld: .*--force/);
  const { code, stdout } = await longpole('what-if', 'trace.json', '--no-host-gaps', '--json');
  expect(code).toBe(3);
  expect(JSON.parse(stdout)).toMatchObject({ schema: 'longpole.what-if/1', status: 'withheld', holdOut: { pairs: 2 } });
});

test('an overlay', async () => {
  const { code, stderr } = await longpole(
    'what-if',
    'trace.json',
    '--scale',
    'gemm=0.5',
    '--force',
    '--overlay',
    'out.json',
  );
  expect(code).toBe(0);
  expect(stderr).toBe('wrote out.json: 6 events re-simulated, beside the measured ones\n');
  expect(existsSync(join(folder, 'out.json'))).toBe(true);
  expect((await longpole('critical-path', 'out.json')).code).toBe(0);
});

describe('wrong usage is one line and exit code 2', () => {
  test.each<[string, string[], RegExp]>([
    ['nothing to change', [], /nothing to change; for example: longpole what-if/],
    ['a name that is not there', ['--scale', 'gem=0.5'], /no op or kernel of the trace matches; did you mean 'gemm'\?/],
    ['a name of an annotation', ['--scale', 'forward=0.5'], /but annotations do; write annotation: before it/],
    ['no collective', ['--overlap', 'gemm'], /no collective of the trace matches; the trace has none/],
    ['no factor', ['--scale', 'gemm'], /needs a factor of 0 or more/],
    ['a factor of too many digits', ['--scale', 'gemm=0.3333333333'], /more than nine digits/],
    ['a negative factor', ['--scale', 'gemm=-1'], /needs a factor of 0 or more/],
    ['no expression', ['--remove', '/(/'], /--remove is no regular expression/],
    ['a mistyped kind', ['--remove', 'kind:kernle'], /did you mean kind:kernel\?/],
    ['a mistyped prefix', ['--remove', 'lanes:s-0.7'], /did you mean lane:s-0\.7\?/],
    ['no unit', ['--launch-latency', '5'], /is no time with its unit; for example --launch-latency 0us/],
    ['several ranks', ['--balance'], /needs several ranks; give their folder/],
    ['a range', ['--no-host-gaps', '--range', '0us..9us'], /--range has fixed borders/],
  ])('%s', async (_, args, message) => {
    const { code, stdout, stderr } = await longpole('what-if', 'trace.json', ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr.split('\n')).toHaveLength(2);
  });
});

describe('demo', () => {
  test('the report of a simulated job, the same every time, within 3 s of work', async () => {
    // In time of the processor, since other tests run beside this one.
    const tell = `process.on('exit',()=>{const{user,system}=process.cpuUsage();process.stderr.write(String(user+system))})`;
    const timed = spawnSync(process.execPath, ['--import', `data:text/javascript,${tell}`, BIN, 'demo'], {
      encoding: 'utf8',
    });
    expect(Number(timed.stderr) / 1e6).toBeLessThan(3);
    const { code, stdout } = await longpole('demo');
    expect(timed.stdout).toBe(stdout);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^A demo: a simulated job/);
    expect(stdout).toContain(
      'It has 8 ranks, and this is rank 0; for all of them: longpole demo --ranks 8 --out job\n',
    );
    expect(stdout).toContain('The long pole is');
  });

  test('--json', async () => {
    const { code, stdout } = await longpole('demo', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ schema: 'longpole.demo/1', demo: { ranks: 8, rank: 0 } });
  });

  test('another program, and its trace', async () => {
    const { code, stderr } = await longpole('demo', '--program', 'two-streams', '--out', 'two.json.gz');
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'wrote two.json.gz\n' });
    expect((await longpole('info', 'two.json.gz')).code).toBe(0);
    expect((await longpole('demo', '--program', 'list')).stdout).toContain('two-streams');
  });

  test('--ranks: the whole job in a folder, and the command that finds its straggler', async () => {
    const { code, stdout, stderr } = await longpole('demo', '--ranks', '6', '--out', 'new/demo job');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      /^A demo: a simulated job[^]*\n\nThe traces of its 6 ranks are written. Next:\n {2}longpole 'new\/demo job'\n$/,
    );
    const names = Array.from({ length: 6 }, (_, rank) => `rank-${rank}.json.gz`);
    expect(readdirSync(join(folder, 'new/demo job'))).toEqual(names);
    const report = await longpole('new/demo job');
    expect(report).toMatchObject({ code: 0, stderr: '' });
    expect(report.stdout).toMatch(/^6 ranks/);
    expect(report.stdout.replaceAll(/\s+/g, ' ')).toMatch(/Rank 5 .{0,40}holds the others up/);

    const again = await longpole('demo', '--ranks', '6', '--out', 'new/demo job', '--json');
    expect(JSON.parse(again.stdout)).toMatchObject({
      schema: 'longpole.demo/1',
      demo: { program: 'data-parallel', ranks: 6, next: "longpole 'new/demo job'" },
    });
    // A smaller job would leave ranks of the larger one beside its own.
    const smaller = await longpole('demo', '--ranks', '2', '--out', 'new/demo job');
    expect(smaller).toEqual({
      code: 2,
      stdout: '',
      stderr: "longpole: --out new/demo job holds other files, such as 'rank-2.json.gz'; name a new folder\n",
    });
    expect(readdirSync(join(folder, 'new/demo job'))).toEqual(names);
  });

  test.each([
    [['--ranks', '4'], '--ranks writes a trace a rank; name their folder, for example --out job'],
    [['--ranks', '1', '--out', 'x'], "--ranks '1': from 2 to 64"],
    [['--ranks', '0..3', '--out', 'x'], "--ranks '0..3' is no whole number; for example --ranks 8"],
    [['--ranks', '4', '--program', 'decode', '--out', 'x'], '--ranks: the program decode has 1 rank and no more'],
    [['--ranks', '4', '--out', ''], '--out is empty; name a folder, for example --out job'],
    [['--ranks', '4', '--out', 'trace.json'], '--out trace.json: cannot be written (EEXIST)'],
  ])('%j is refused', async (args, message) => {
    expect(await longpole('demo', ...args)).toEqual({ code: 2, stdout: '', stderr: `longpole: ${message}\n` });
    expect(existsSync(join(folder, 'x'))).toBe(false);
  });

  test('each program of several ranks can be written as a job', () => {
    for (const [name, make] of Object.entries(READY_PROGRAMS)) {
      const [usual, asked]: Job[] = [make(), (make as (knobs: ReadyKnobs) => Job)({ ranks: 3 })];
      expect([name, asked?.ranks.length]).toEqual([name, usual?.ranks.length === 1 ? 1 : 3]);
    }
  });

  test('a mistyped program', async () => {
    const { code, stderr } = await longpole('demo', '--program', 'pipelin');
    expect(code).toBe(2);
    expect(stderr).toMatch(/did you mean pipeline\?/);
  });
});

test('critical-path --slack', async () => {
  const { code, stdout } = await longpole('critical-path', 'trace.json', '--slack', '--json');
  expect(code).toBe(0);
  const { slack } = JSON.parse(stdout) as { slack: { leverage: { by: string; name: string }[]; events: unknown[] } };
  expect(slack.leverage[0]).toMatchObject({ by: 'kernel', name: 'gemm' });
  expect(slack.events.length).toBeGreaterThan(0);
  expect((await longpole('critical-path', 'trace.json', '--slack')).stdout).toContain('what you can really win');
});
