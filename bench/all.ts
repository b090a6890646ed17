// npm run bench -- all [ROUNDS]: every benchmark, one after the other, and at the end which goals were met.
import { spawnSync } from 'node:child_process';

const rounds = process.argv[2] ?? '5';
const RUNS: readonly (readonly string[])[] = [
  ['load', '100MB', '1GB', rounds],
  ['load', '5M', '3'],
  ['memory'],
  ['path', rounds],
  ['cache', '1GB', rounds],
  ['page'],
];

const lines: string[] = [];
for (const run of RUNS) {
  console.log(`\n== ${run.join(' ')}`);
  const { stdout, status } = spawnSync(process.execPath, ['scripts/bench.mjs', ...run], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 2 ** 28,
  });
  process.stdout.write(stdout);
  if (status !== 0) process.exitCode = 1;
  lines.push(...stdout.split('\n').filter((line) => /^ {2}(met {4}|MISSED) /.test(line)));
}
console.log(`\n== all goals\n${lines.join('\n')}`);
