// npm run check: everything that can be said about a change without running its tests. Each failure prints its fixing command.
import { spawn } from 'node:child_process';
import { ROOT, ensureBuilt, ensureInstalled } from './setup.mjs';

const AT_ONCE = 2;

const STEPS = [
  { name: 'types', command: ['node_modules/.bin/tsc', '-b', '--pretty'], fix: 'npx tsc -b' },
  { name: 'lint', command: ['node_modules/.bin/oxlint'], fix: 'npm run fix' },
  { name: 'format', command: ['node_modules/.bin/oxfmt', '--check'], fix: 'npm run fix' },
  { name: 'layers', command: ['node', 'scripts/check-layers.mjs'], fix: 'node scripts/check-layers.mjs' },
  {
    name: 'docs',
    command: ['node', 'scripts/check-docs.mjs'],
    fix: 'node scripts/check-docs.mjs --update, then read the difference',
  },
  { name: 'api', command: ['node', 'scripts/check-api.mjs'], fix: 'write the missing comment, or export the type' },
  { name: 'package', command: ['node', 'scripts/check-package.mjs'], fix: 'node scripts/check-package.mjs' },
];

ensureInstalled();
if (!ensureBuilt()) process.exit(1);

const failed = [];
const waiting = [...STEPS];
await Promise.all(Array.from({ length: AT_ONCE }, worker));
if (failed.length > 0) {
  console.log(`\ncheck failed: ${failed.map(({ name }) => name).join(', ')}`);
  for (const { name, fix } of failed) console.log(`  ${name}: ${fix}`);
  process.exitCode = 1;
}

async function worker() {
  for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
    const start = performance.now();
    const { code, output } = await runStep(step.command);
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${step.name} (${seconds} s)`);
    if (code === 0) continue;
    failed.push(step);
    console.log(`${output.trimEnd()}\nto fix: ${step.fix}\n`);
  }
}

function runStep([command, ...args]) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}
