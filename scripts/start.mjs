// npm start [-- ARGUMENTS]: whatever is missing is made first, then longpole answers.
import { ROOT, ensureBuilt, ensureInstalled, run } from './setup.mjs';

ensureInstalled();
if (!ensureBuilt()) process.exit(1);
const args = process.argv.slice(2);
process.exitCode = run('node', [`${ROOT}/bin/longpole.js`, ...(args.length > 0 ? args : ['demo'])]);
