// npm run make-example: writes the example, three steps of a data-parallel training job as torch.profiler records them on one rank.
//
// Nothing in it was measured: the job is a small simulation with a seeded generator in place of a clock, so that it is the same at any
// time and on any machine. Its long pole is there to be found: the embedding's gradient is large and is the last that the backward
// pass makes, so its all-reduce on stream 20 overlaps nothing, and the optimizer on stream 7 waits for it. Two of the other three
// all-reduces run beside the backward pass and cost the step nothing.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { writeTrace } from './make-example/kineto.ts';
import { DISTRIBUTED_INFO, Training } from './make-example/training.ts';

export const EXAMPLE = 'examples/three-steps.json.gz';

export function exampleJson(): string {
  return writeTrace(new Training().run(), DISTRIBUTED_INFO);
}

/** gzip without a time. What zlib makes of the same bytes differs between its versions, so a file that says the same is left alone. */
function saveExample(file: string): void {
  const json = exampleJson();
  if (existsSync(file) && gunzipSync(readFileSync(file)).toString() === json) return;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, gzipSync(json, { level: 9 }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) saveExample(process.argv[2] ?? EXAMPLE);
