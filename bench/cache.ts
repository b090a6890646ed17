// npm run bench -- cache [SIZE] [ROUNDS]: opening a trace that is kept, against opening it for the first time.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeInput, SIZES } from './kit/inputs.ts';
import { buildProgram, describeRun, measure, megabytes, printGoal, printMeasured, ratio } from './kit/measure.ts';

const ONE = 'bench/kit/load-one.mjs';

async function main(): Promise<void> {
  const args = process.argv.slice(2);
  const rounds = Number(args.find((each) => /^\d+$/.test(each)) ?? 5);
  const name = args.find((each) => each in SIZES) ?? '1GB';
  buildProgram();
  const input = await makeInput(name, SIZES[name] ?? {});
  const folder = mkdtempSync(join(tmpdir(), 'longpole-bench-cache-'));
  try {
    const kept = { LONGPOLE_CACHE: join(folder, 'kept') };
    // Once, so that there is something to find.
    measure([{ name: 'fill', args: [ONE, 'open', input.packed], env: kept }], 1);
    const run = { ...describeRun('cache'), size: name, jsonBytes: input.jsonBytes, events: input.events, rounds };
    console.log(`${name}: ${megabytes(input.jsonBytes)}, ${input.events} events of ${input.source}; ${rounds} rounds`);
    const measured = measure(
      [
        { name: 'second open', args: [ONE, 'open', input.packed], env: kept },
        {
          name: 'first open .json.gz',
          args: [ONE, 'open', input.packed],
          env: { LONGPOLE_CACHE: `${folder}/new` },
          clean: `${folder}/new`,
        },
      ],
      rounds,
    );
    for (const each of measured) printMeasured(each, input.jsonBytes);
    const [second, first] = measured;
    if (second === undefined || first === undefined) throw new Error('too few');
    const goal = { goal: 'second open, against the first', ...ratio(second, first), atLeast: 10 };
    printGoal(goal);
    console.log(JSON.stringify({ ...run, measured, goals: [goal] }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
