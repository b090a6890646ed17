// npm run make-example: writes the example, rank 0 of the job of `longpole demo`, three steps of it. Nothing in it was measured.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { kinetoText } from '../src/sim/kineto.ts';
import { demoJob } from '../src/sim/programs/ready-programs.ts';
import { JobRun } from '../src/sim/run.ts';

export const EXAMPLE = 'examples/three-steps.json.gz';

export function exampleJson(): string {
  const job = demoJob({ steps: 3 });
  return kinetoText(job, new JobRun(job).truthOf(0));
}

/** gzip without a time. What zlib makes of the same bytes differs between its versions, so a file that says the same is left alone. */
function saveExample(file: string): void {
  const json = exampleJson();
  if (existsSync(file) && gunzipSync(readFileSync(file)).toString() === json) return;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, gzipSync(json, { level: 9 }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) saveExample(process.argv[2] ?? EXAMPLE);
