// node scripts/run-ts.mjs FILE.ts [ARGUMENTS]: bundles a TypeScript program and runs it. Node 20 cannot run one itself.
import { mkdirSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { ensureScanner } from './build-scanner.mjs';
import { CACHE, ROOT, ensureInstalled, run } from './setup.mjs';

const [file, ...args] = process.argv.slice(2);
if (file === undefined) {
  process.stderr.write('usage: node scripts/run-ts.mjs FILE.ts [ARGUMENTS]\n');
  process.exit(2);
}
ensureInstalled();
await ensureScanner();
// Below node_modules, so that packages resolve. A folder a process, so that two runs do not meet.
const outDir = join(CACHE, `run-${process.pid}`);
mkdirSync(outDir, { recursive: true });
try {
  const { build } = await import('tsdown');
  await build({
    config: false,
    cwd: ROOT,
    entry: { [basename(file, '.ts')]: resolve(file) },
    outDir,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    fixedExtension: false,
    clean: false,
    dts: false,
    sourcemap: true,
    report: false,
    logLevel: 'warn',
    deps: { skipNodeModulesBundle: true },
  });
  process.exitCode = run('node', ['--enable-source-maps', join(outDir, `${basename(file, '.ts')}.js`), ...args], {
    cwd: process.cwd(),
  });
} finally {
  rmSync(outDir, { recursive: true, force: true });
}
