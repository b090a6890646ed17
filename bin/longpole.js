#!/usr/bin/env node
import { existsSync } from 'node:fs';
import * as nodeModule from 'node:module';

// Node 22 and later keep the compiled code between runs.
nodeModule.enableCompileCache?.();

const program = new URL('../dist/cli.js', import.meta.url);
try {
  await import(program.href);
} catch (error) {
  if (existsSync(program)) throw error;
  process.stderr.write('longpole: the program is not built; run: npm run build\n');
  process.exitCode = 2;
}
