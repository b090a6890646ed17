// npm test [-- FILE…]: the test run, on a program built from the sources at hand. The last line is for machines.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE, ROOT, ensureBuilt, ensureInstalled, run } from './setup.mjs';

const args = process.argv.slice(2);
ensureInstalled();
if (!ensureBuilt()) {
  // Whoever asks for one file may have broken another.
  if (args.length === 0) process.exit(1);
  process.stderr.write('the build failed: tests that start the program will not see these sources\n');
}
mkdirSync(CACHE, { recursive: true });
const report = join(CACHE, `tests-${process.pid}.json`);
const code = run('node', [
  join(ROOT, 'node_modules/vitest/vitest.mjs'),
  'run',
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${report}`,
  ...args,
]);
process.exitCode = code;
if (existsSync(report)) {
  const { passed, failed, skipped } = counts(JSON.parse(readFileSync(report, 'utf8')));
  rmSync(report);
  // A run that ends badly without a failed test (an error outside of one) must not look green.
  console.log(`\n${passed} passed, ${code !== 0 && failed === 0 ? 1 : failed} failed, ${skipped} skipped`);
}

/** A file that failed before its first test counts as one failed test. */
function counts({ numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults }) {
  const broken = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  );
  return { passed: numPassedTests, failed: numFailedTests + broken.length, skipped: numPendingTests + numTodoTests };
}
