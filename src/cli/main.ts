/** The program as a process. Its commands are in program.ts. */
import { readFileSync } from 'node:fs';
import { catchInterrupt } from './interrupt.ts';
import { watchStdout } from './output.ts';
import { runProgram } from './program.ts';

/** Of the package that this file was built into, one folder up. */
function readVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return /"version": "([^"]+)"/.exec(text)?.[1] ?? 'unknown';
}

watchStdout();
catchInterrupt();
process.exitCode = await runProgram(process.argv.slice(2), readVersion());
