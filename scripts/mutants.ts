// npm run mutants [-- PATTERN]: breaks one rule of the graph at a time, in a temporary copy, and asks the tests of that rule. Each line is
// `rule → the test that failed`. Ends with 1 if a mutant survives, cannot be applied, or does not run. PATTERN: a regular expression
// on rules, such as 'row 4:' or 'typical lag'.
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Vitest, createVitest } from 'vitest/node';
import { MUTANTS, type Mutant, ROWS, ROWS_WITHOUT } from '../bench/mutants/index.ts';

const COPIED = ['src', 'scripts', 'package.json', 'tsconfig.base.json', 'vitest.config.ts'];
const LONGEST_MS = 60_000;
/** A test that fails for one of these says that the mutant was not made well, not that the rule is tested. */
const NOT_A_RULE = /^(ReferenceError|SyntaxError|TypeError)/;

interface Outcome {
  /** The first test that failed. */
  readonly failed?: string;
  /** Why the tests could not be run. */
  readonly broken?: string;
}

const root = resolve('.');
// The copy lies elsewhere; the public traces stay where they are.
process.env['LONGPOLE_TRACES'] ??= resolve('../shared/traces');
const pattern = new RegExp(process.argv[2] ?? '', 'i');
const chosen = MUTANTS.filter(({ rule }) => pattern.test(rule));
const applied = chosen.filter((mutant) => timesFound(mutant) === 1);
const problems = [...rowsLeftOut(), ...chosen.flatMap(whyNotApplied)];
if (chosen.length === 0) problems.push(`no rule matches ${pattern}`);
if (applied.length > 0) await runAll();
for (const problem of problems) console.log(problem);
process.exitCode = problems.length > 0 ? 1 : 0;

async function runAll(): Promise<void> {
  const began = performance.now();
  let killed = 0;
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'longpole-mutants-')));
  // Also where the user stops it.
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  for (const name of COPIED) cpSync(join(root, name), join(folder, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  // The same random programs for each.
  const setup = join(folder, 'seed.ts');
  writeFileSync(setup, "import fc from 'fast-check';\nfc.configureGlobal({ seed: 1 });\n");
  // One process for all mutants: only what a mutant touches is transformed anew. Threads end with it, whatever they are at.
  const vitest = await createVitest('test', {
    root: folder,
    watch: false,
    bail: 1,
    pool: 'threads',
    maxWorkers: 1,
    // A thread takes none of the compiler's flags that processes of the usual run have.
    execArgv: [],
    reporters: [{}],
    setupFiles: [setup],
  });
  try {
    const { failed, broken } = await runTests(vitest, folder, [...new Set(applied.flatMap(({ tests }) => tests))]);
    if (failed !== undefined || broken !== undefined) {
      problems.push(`without any mutant this fails: ${broken ?? failed}`);
      return;
    }
    for (const mutant of applied) {
      const wrong = await tryMutant(vitest, folder, mutant);
      problems.push(...wrong);
      if (wrong.length === 0) killed++;
    }
  } finally {
    await vitest.close();
  }
  const seconds = Math.round((performance.now() - began) / 1000);
  console.log(`\n${chosen.length} mutants, ${killed} killed, in ${seconds} s`);
  for (const [row, reason] of ROWS_WITHOUT) console.log(`row ${row} has no mutant: ${reason}`);
}

/** What is wrong with it, if anything. */
async function tryMutant(
  vitest: Vitest,
  folder: string,
  { rule, file, find, replace, tests }: Mutant,
): Promise<string[]> {
  const path = join(folder, file);
  const original = readFileSync(path, 'utf8');
  const write = (text: string): void => {
    writeFileSync(path, text);
    vitest.invalidateFile(path);
  };
  const [[start, end]] = places(original, find);
  write(original.slice(0, start) + replace + original.slice(end));
  const late = setTimeout(() => {
    console.log(`${rule} → no end after ${LONGEST_MS / 1000} s: make a mutant that ends`);
    process.exit(1);
  }, LONGEST_MS);
  const { failed, broken } = await runTests(vitest, folder, tests);
  clearTimeout(late);
  write(original);
  console.log(`${rule} → ${broken === undefined ? (failed ?? 'SURVIVES') : `BROKEN: ${broken}`}`);
  if (broken !== undefined) return [`broken: ${rule}`];
  return failed === undefined ? [`survives: ${rule} (${file}; ${tests.join(', ')})`] : [];
}

/** Runs files of tests up to the first failure. */
async function runTests(vitest: Vitest, folder: string, tests: readonly string[]): Promise<Outcome> {
  const files = tests.map((test) => join(folder, test));
  const specifications = (await vitest.globTestSpecifications(files)).filter(({ moduleId }) =>
    files.includes(moduleId),
  );
  if (specifications.length < files.length) return { broken: `no such file among ${tests.join(', ')}` };
  const { testModules } = await vitest.runTestSpecifications(specifications);
  for (const file of testModules.filter(({ moduleId }) => files.includes(moduleId))) {
    const [error] = file.errors();
    if (error !== undefined) return { broken: error.message };
    for (const test of file.children.allTests('failed')) {
      const [why] = test.result().errors ?? [];
      const text = `${why?.name ?? 'Error'}: ${why?.message ?? ''}`;
      return NOT_A_RULE.test(text) ? { broken: text } : { failed: test.fullName };
    }
  }
  return {};
}

function timesFound({ file, find }: Mutant): number {
  return places(readFileSync(join(root, file), 'utf8'), find).length;
}

function whyNotApplied(mutant: Mutant): string[] {
  const found = timesFound(mutant);
  const { rule, file, find } = mutant;
  return found === 1 ? [] : [`not applied: ${rule} (${file}; found ${found} times, not once: ${find})`];
}

/** Where a text occurs, whatever white space stands between its words. */
function places(text: string, find: string): [start: number, end: number][] {
  const words = find.trim().split(/\s+/);
  const wanted = new RegExp(words.map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('\\s+'), 'g');
  return [...text.matchAll(wanted)].map((match) => [match.index, match.index + match[0].length]);
}

/** A row of the specification needs a mutant, or a reason why it has none. */
function rowsLeftOut(): string[] {
  const rows = Array.from({ length: ROWS }, (_, i) => i + 1);
  return rows.flatMap((row) => {
    const has = MUTANTS.some(({ rule }) => rule.startsWith(`row ${row}:`));
    if (has !== ROWS_WITHOUT.has(row)) return [];
    return [`row ${row} of semantics.md has ${has ? 'mutants, and a reason to have none' : 'no mutant'}`];
  });
}
