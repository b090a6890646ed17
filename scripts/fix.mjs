// npm run fix: what `npm run check` finds and a tool can mend.
import { ensureInstalled, run } from './setup.mjs';

ensureInstalled();
const lint = run('node_modules/.bin/oxlint', ['--fix']);
const format = run('node_modules/.bin/oxfmt', []);
process.exitCode = lint || format;
