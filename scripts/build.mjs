// Builds dist/: the program (cli.js), and the library's two entries (index.js, engine.js) with their types (`--no-dts`: without).
// It is made beside the old one and swapped in at the end, so that a program that starts meanwhile finds a whole one.
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'tsdown';
import { ensureScanner } from './build-scanner.mjs';
import { buildTypes } from './build-types.mjs';
import { BUILD_STAMP, ROOT, isBuilt, sourceHash, withLock } from './setup.mjs';

const withTypes = !process.argv.includes('--no-dts');

const common = {
  config: false,
  cwd: ROOT,
  format: 'esm',
  target: 'node20.19',
  clean: false,
  fixedExtension: false,
  hash: true,
  logLevel: 'warn',
  report: false,
  // Its hint about slow plug-ins is no word on what is built.
  inputOptions: { checks: { pluginTimings: false } },
  dts: false,
  // One file to read is faster than a hundred: every library goes into the bundle.
  deps: { alwaysBundle: [/.*/], onlyBundle: false },
};

function present(entries) {
  return Object.fromEntries(Object.entries(entries).filter(([, file]) => existsSync(join(ROOT, file))));
}

/** Three bundles and not one with shared chunks: `engine.js` must not reach a chunk that knows Node. */
const bundles = [
  {
    entry: present({
      cli: 'src/cli/main.ts',
      'rest-worker': 'src/session/rest-worker.ts',
      'map-worker': 'src/session/job/map-worker.ts',
      'answer-worker': 'src/server/answer-worker.ts',
    }),
    platform: 'node',
  },
  { entry: present({ index: 'src/index.ts' }), platform: 'node' },
  { entry: present({ engine: 'src/engine.ts' }), platform: 'neutral' },
].filter(({ entry }) => Object.keys(entry).length > 0);

/** A script for a browser, as one file `<name>.js` in `outDir`. */
async function buildScript(outDir, name, entry) {
  const folder = join(outDir, `${name}-script`);
  await build({
    ...common,
    entry: { [name]: entry },
    tsconfig: 'tsconfig.web.json',
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    minify: true,
    hash: false,
    outDir: folder,
  });
  renameSync(join(folder, `${name}.iife.js`), join(outDir, `${name}.js`));
  rmSync(folder, { recursive: true });
}

/** What `report --html` puts into the page that it writes: a script and a style, as texts beside the program. */
async function buildReportPage(outDir) {
  await buildScript(outDir, 'report-page', 'src/web/report-page/main.tsx');
  copyFileSync(join(ROOT, 'src/web/report-page/page.css'), join(outDir, 'report-page.css'));
}

/** What `serve` sends to the browser. */
async function buildPage(outDir) {
  await buildScript(outDir, 'page', 'src/web/page/main.tsx');
  await buildScript(outDir, 'page-engine', 'src/web/engine/worker.ts');
  for (const file of ['page.css', 'page.html']) copyFileSync(join(ROOT, 'src/web/page', file), join(outDir, file));
  copyFileSync(join(ROOT, 'src/web/page/icon.svg'), join(outDir, 'page-icon.svg'));
}

await ensureScanner();
await withLock('build', async () => {
  // Another process may have built the same sources while this one waited.
  if (!withTypes && isBuilt()) return;
  const hash = sourceHash();
  const fresh = join(ROOT, `dist-new-${process.pid}`);
  const old = join(ROOT, `dist-old-${process.pid}`);
  mkdirSync(fresh, { recursive: true });
  try {
    await Promise.all([
      ...bundles.map((bundle) => build({ ...common, ...bundle, outDir: fresh })),
      buildReportPage(fresh),
      buildPage(fresh),
      ...(withTypes ? [buildTypes(fresh)] : []),
    ]);
    writeFileSync(join(fresh, BUILD_STAMP.replace('dist/', '')), `${hash}\n`);
    if (existsSync(join(ROOT, 'dist'))) renameSync(join(ROOT, 'dist'), old);
    renameSync(fresh, join(ROOT, 'dist'));
  } finally {
    rmSync(fresh, { recursive: true, force: true });
    rmSync(old, { recursive: true, force: true });
  }
});
