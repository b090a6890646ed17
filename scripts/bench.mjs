// npm run bench -- NAME [ARGUMENTS]: runs bench/NAME.ts. Without a name: lists them.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, run } from './setup.mjs';

const [name, ...args] = process.argv.slice(2);
const folder = join(ROOT, 'bench');
const file = join(folder, `${name}.ts`);
if (name !== undefined && existsSync(file)) {
  process.exitCode = run('node', [join(ROOT, 'scripts/run-ts.mjs'), file, ...args]);
} else {
  const names = existsSync(folder) ? readdirSync(folder).filter((each) => each.endsWith('.ts')) : [];
  process.stderr.write(
    `usage: npm run bench -- NAME, with NAME one of: ${names.map((each) => each.slice(0, -3)).join(', ')}\n`,
  );
  process.exitCode = 2;
}
