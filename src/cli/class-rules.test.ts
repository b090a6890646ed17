// `--rules rules.json`: what is read, and what is refused with a sentence that shows a right one.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { computeKernels } from '../analyses/kernels/compute.ts';
import { DEFAULT_WINDOW, resultOf, subjectOf } from '../test-kit/answers.ts';
import { scopeOptionsOf } from './args.ts';
import { readClassRules } from './class-rules.ts';
import { UsageError } from './exit.ts';

const folder = mkdtempSync(join(tmpdir(), 'longpole-rules-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function fileOf(text: string): string {
  const path = join(folder, 'rules.json');
  writeFileSync(path, text);
  return path;
}

describe('a file of rules', () => {
  test('has the words of the output for classes', async () => {
    const path = fileOf(`[
      { "match": "^my_allreduce", "class": "communication" },
      { "match": "pack$", "class": "copy" },
      { "match": "spin", "class": "other" },
      { "match": "nccl.*Local", "class": "computation" }
    ]`);
    expect(await readClassRules(path)).toEqual([
      { match: '^my_allreduce', class: 'collective' },
      { match: 'pack$', class: 'copy' },
      { match: 'spin', class: 'other' },
      { match: 'nccl.*Local', class: 'kernel' },
    ]);
  });

  test('may be empty', async () => {
    expect(await readClassRules(fileOf('[]'))).toEqual([]);
  });

  test.each([
    ['{', /no JSON/],
    ['{"match": "a", "class": "copy"}', /not a list of rules/],
    ['["a"]', /rule 1 has no "match" text/],
    ['[null]', /rule 1 has no "match" text/],
    ['[{"match": "a", "class": "copy"}, {"class": "copy"}]', /rule 2 has no "match" text/],
    ['[{"match": "a"}]', /needs a "class" out of computation, communication, copy, other/],
    ['[{"match": "a", "class": "kernel"}]', /needs a "class" out of computation/],
    ['[{"match": "a", "class": "toString"}]', /needs a "class" out of computation/],
    ['[{"match": "(", "class": "copy"}]', /rule 1 is no regular expression/],
    ['[{"match": "a", "class": "copy", "name": "b"}]', /unknown field 'name'/],
    [' '.repeat((1 << 20) + 1), /more than 1 MiB/],
  ])('is refused: %.60s', async (text, message) => {
    const refused = readClassRules(fileOf(text));
    await expect(refused).rejects.toThrow(UsageError);
    await expect(refused).rejects.toThrow(message);
    await expect(refused).rejects.toThrow(/^--rules /);
  });

  test('that is not there is named', async () => {
    await expect(readClassRules(join(folder, 'absent.json'))).rejects.toThrow(
      /absent\.json: cannot be read \(ENOENT\)/,
    );
  });
});

test('the flag reaches the answer', async () => {
  const rules = fileOf('[{ "match": "^spin", "class": "other" }, { "match": "^my_", "class": "communication" }]');
  const options = await scopeOptionsOf({ rules });
  const drawing = 'gpu 0.7 | spin_kernel#1@0+5 my_allgather#2@5+5 gemm#3@10+5 \n gpu 0.8 | my_spin#4@0+5';
  const { rows } = resultOf(computeKernels(subjectOf(drawing), { ...options, window: DEFAULT_WINDOW }));
  expect(rows.map((row) => [row.name, row.class])).toEqual([
    ['spin_kernel', 'other'],
    ['my_allgather', 'communication'],
    ['gemm', 'computation'],
    ['my_spin', 'communication'],
  ]);
});
