// The types of the library's two entries, bundled: index.d.ts and engine.d.ts, with what both share in a third file.
import { build } from 'tsdown';
import { ROOT } from './setup.mjs';

export async function buildTypes(outDir) {
  await build({
    config: false,
    cwd: ROOT,
    entry: { index: 'src/index.ts', engine: 'src/engine.ts' },
    format: 'esm',
    platform: 'neutral',
    clean: false,
    fixedExtension: false,
    hash: true,
    logLevel: 'error',
    report: false,
    dts: { emitDtsOnly: true, tsconfig: 'tsconfig.library.json' },
    outDir,
  });
}
