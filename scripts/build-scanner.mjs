// Compiles src/ingest/wasm/assembly (AssemblyScript) into src/ingest/wasm/module.generated.ts: WebAssembly as base64, which needs no
// file beside the program. Made anew only where the sources changed; the first line of the made file tells.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ROOT, filesUnder, withLock } from './setup.mjs';

const SOURCES = join(ROOT, 'src/ingest/wasm/assembly');
const MADE = join(ROOT, 'src/ingest/wasm/module.generated.ts');
const OPTIONS = [
  '--optimizeLevel=3',
  '--shrinkLevel=0',
  '--converge',
  '--noAssert',
  '--runtime=stub',
  '--enable=simd',
  '--enable=bulk-memory',
  '--initialMemory=64',
];

/** Makes the module unless it is there. Throws the compiler's words where it cannot be made. */
export async function ensureScanner() {
  const stamp = `// Made by scripts/build-scanner.mjs of sources ${sourcesHash()}; do not edit.\n`;
  if (isMade(stamp)) return;
  await withLock('scanner', async () => {
    if (isMade(stamp)) return;
    const wasm = await compile();
    const text = `${stamp}export const MODULE_BASE64 =\n  '${wasm.toString('base64')}';\n`;
    const fresh = `${MADE}.${process.pid}`;
    writeFileSync(fresh, text);
    renameSync(fresh, MADE);
  });
}

const isMade = (stamp) => existsSync(MADE) && readFileSync(MADE, 'utf8').startsWith(stamp);

function sourcesHash() {
  const hash = createHash('sha256').update(OPTIONS.join(' '));
  hash.update(readFileSync(join(ROOT, 'node_modules/assemblyscript/package.json')));
  for (const file of filesUnder(SOURCES)) {
    hash.update(basename(file)).update('\0').update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex').slice(0, 16);
}

async function compile() {
  const { default: asc } = await import('assemblyscript/asc');
  let wasm;
  let words = '';
  const { error } = await asc.main(['rows.ts', '--baseDir', SOURCES, '--outFile', 'rows.wasm', ...OPTIONS], {
    stderr: { write: (chunk) => void (words += String(chunk)) },
    writeFile: (name, contents) => {
      if (name.endsWith('.wasm')) wasm = Buffer.from(contents);
    },
  });
  if (error || wasm === undefined) throw new Error(`the scanner does not compile\n${words}${error ?? ''}`);
  // What its optimiser says of itself is no word on the scanner.
  words = words.replace(/^Last converge was suboptimal\.\s*/m, '');
  if (words !== '') process.stderr.write(words);
  return wasm;
}
