// npm run bench -- report [ROUNDS]: the whole report of a trace against opening it, up to the sealed columns. A simulated trace of some half a
// million events is made for it in a temporary folder.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { kinetoText } from '../src/sim/kineto.ts';
import { demoJob } from '../src/sim/programs/ready-programs.ts';
import { JobRun } from '../src/sim/run.ts';
import { type Duel, runDuels, traceFile } from './duel.ts';

const TRACES = ['diff/a100_eager', 'single/qwen_h100_stacks', 'single/nccl_args_a100_rank0of2'].map((name) =>
  traceFile(`${name}.json.gz`),
);
const LOAD = `
  const { openTrace } = await import(process.cwd() + '/dist/index.js');
  const opened = await openTrace(process.argv[1]);
  if (!opened.ok) process.exitCode = 1;
`;

/** So many steps are some half a million events. */
const STEPS = 450;

function simulatedJson(): string {
  const job = demoJob({ steps: STEPS });
  return kinetoText(job, new JobRun(job).truthOf(0));
}

const duelOn = (trace: string, question: string): Duel => ({
  question,
  contenders: [
    { name: 'longpole report', args: ['bin/longpole.js', 'report', trace] },
    { name: 'openTrace', args: ['--input-type=module', '-e', LOAD, trace] },
  ],
  goal: 3,
});

const folder = mkdtempSync(join(tmpdir(), 'longpole-bench-'));
try {
  const simulated = join(folder, 'simulated.json.gz');
  writeFileSync(simulated, gzipSync(simulatedJson()));
  const duels = [...TRACES.map((trace, i) => duelOn(trace, ['a100', 'qwen', 'nccl'][i])), duelOn(simulated, 'sim')];
  runDuels('report', duels, TRACES);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
