/** A job's report on a real Slurm of two nodes on this machine, which scripts/slurm/local-slurm.sh starts. */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, truncateSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { TestRunner, afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BIN } from '../test-kit/run-built.ts';
import { dataParallel } from '../sim/programs/data-parallel.ts';
import { writeJobFolder } from '../test-kit/job-folder.ts';

const SLURM = fileURLToPath(new URL('../../scripts/slurm/local-slurm.sh', import.meta.url));
const RANKS = 64;
const RANKS_PER_TASK = 16;
const TRUNCATED = 41;
/** Its task is killed: it reads this rank's file from a pipe that nobody writes into. */
const KILLED = 17;
const TIMEOUT_MS = 150_000;

const folder = mkdtempSync(join(tmpdir(), 'longpole-slurm-'));
const state = join(folder, 'state');
const job = join(folder, "ra nks'; $(touch hacked)");
const env = { ...process.env, SLURM_CONF: join(state, 'slurm.conf') };
let missing: string | undefined;

beforeAll(async () => {
  missing = whyNoSlurm();
  if (missing !== undefined) {
    process.stderr.write(`skipped: ${missing}\n`);
    return;
  }
  execFileSync(SLURM, ['start', state], { stdio: 'inherit' });
  await writeJobFolder(job, dataParallel({ ranks: RANKS, steps: 2, layers: 2, clockSpreadNs: 300_000 }));
}, TIMEOUT_MS);

afterAll(() => {
  if (missing === undefined) execFileSync(SLURM, ['stop', state]);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Under CI a Slurm that is not there is a failure. */
function whyNoSlurm(): string | undefined {
  if (process.getuid?.() !== 0) return 'a Slurm of our own needs root';
  const programs = ['slurmctld', 'slurmd', 'munged', 'sbatch'];
  const absent = programs.find((program) => !isInstalled(program));
  if (absent === undefined) return undefined;
  if (process.env['CI'] === 'true') throw new Error(`${absent} is not installed`);
  return `${absent} is not installed (Debian: slurmctld, slurmd, munge)`;
}

function isInstalled(program: string): boolean {
  const folders = (process.env['PATH'] ?? '').split(':').concat('/usr/sbin', '/usr/bin');
  return folders.some((each) => {
    try {
      return readdirSync(each).includes(program);
    } catch {
      return false;
    }
  });
}

const needsSlurm = (): void => {
  if (missing !== undefined) TestRunner.getCurrentTest()?.context.skip(missing);
};

interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function longpole(args: readonly string[]): Promise<Run> {
  return new Promise((done, reject) => {
    const child = spawn(process.execPath, [BIN, ...args], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.on('error', reject);
    child.on('close', (code) => done({ code, stdout, stderr }));
  });
}

const slurm = async (program: string, ...args: readonly string[]): Promise<string> =>
  (await promisify(execFile)(program, args, { env })).stdout;

const ON_SLURM = ['--executor', 'slurm', '--ranks-per-task', String(RANKS_PER_TASK)];
const leftBehind = (): string[] => readdirSync(folder).filter((name) => name !== 'state' && join(folder, name) !== job);

describe('a job of 64 ranks on two nodes', () => {
  test(
    'gives the bytes of the local run, and leaves nothing behind',
    async () => {
      needsSlurm();
      const here = await longpole([job, '--json']);
      const there = await longpole([job, '--json', ...ON_SLURM]);
      expect(here.code).toBe(0);
      expect(there.code).toBe(0);
      expect(there.stdout).toBe(here.stdout);
      expect(there.stderr).toMatch(/^slurm: job \d+, an array of 4 tasks for 64 ranks; job \d+ reduces\n$/);
      expect(leftBehind()).toEqual([]);
      const nodes = readFileSync(join(state, 'log', 'slurmctld'), 'utf8');
      for (const node of ['lp1', 'lp2']) expect(nodes).toMatch(RegExp(`NodeList=${node}`));
    },
    TIMEOUT_MS,
  );

  test(
    'with one task killed and one file truncated it finishes, and names the truncated rank',
    async () => {
      needsSlurm();
      truncateSync(join(job, `rank-${TRUNCATED}.json.gz`), 3_000);
      const here = await longpole([job]);
      const path = join(job, `rank-${KILLED}.json.gz`);
      renameSync(path, `${path}.whole`);
      execFileSync('mkfifo', [path]);
      const run = longpole([job, ...ON_SLURM]);
      // Opens only once the task has it open to read.
      const pipe = await open(path, 'w');
      const task = (await slurm('squeue', '--noheader', '--states=running', '--array', '--format=%i'))
        .split('\n')
        .map((each) => each.trim())
        .find((each) => each.endsWith(`_${Math.floor(KILLED / RANKS_PER_TASK)}`));
      renameSync(`${path}.whole`, path);
      await slurm('scancel', '--signal=KILL', '--full', task ?? '');
      await pipe.close();
      const there = await run;
      expect(there.stderr).toMatch(/slurm: 1 task failed \((FAILED|CANCELLED|NODE_FAIL)\) and is tried again/);
      expect(there.code).toBe(0);
      expect(there.stdout).toBe(here.stdout);
      expect(there.stdout).toContain(`damaged: rank ${TRUNCATED}, rank-${TRUNCATED}.json.gz: 1 truncated-`);
      expect(leftBehind()).toEqual([]);
    },
    TIMEOUT_MS,
  );

  test(
    'what Slurm refuses is one line',
    async () => {
      needsSlurm();
      const { code, stdout, stderr } = await longpole([job, ...ON_SLURM, '--partition', 'absent']);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/^longpole: --executor slurm: sbatch: .*partition.*\n$/i);
      expect(leftBehind()).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
