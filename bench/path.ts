// npm run bench -- path [ROUNDS]: the path of one step against JSON.parse of the same file, and the start of the program against an
// empty one. Fresh processes, one at a time, in turn: what else the machine does meanwhile falls on both. Times are whole processes.
import { type Duel, runDuels, traceFile } from './duel.ts';

const TRACE = traceFile('diff/a100_eager.json.gz');
const STEP = '1010';

const PARSE = `
  const { readFileSync } = require('node:fs');
  const { gunzipSync } = require('node:zlib');
  JSON.parse(gunzipSync(readFileSync(process.argv[1]), { chunkSize: 1 << 20 }).toString());
`;

const DUELS: readonly Duel[] = [
  {
    question: 'path',
    contenders: [
      { name: 'longpole critical-path', args: ['bin/longpole.js', 'critical-path', TRACE, '--step', STEP, '--json'] },
      { name: 'gunzip + JSON.parse', args: ['-e', PARSE, TRACE] },
    ],
    goal: 3,
    goalBytes: 400e6,
  },
  {
    question: 'start',
    contenders: [
      { name: 'longpole --help', args: ['bin/longpole.js', '--help'] },
      { name: 'node -e 0', args: ['-e', '0'] },
    ],
    goal: 3,
  },
];

runDuels('path', DUELS, [TRACE]);
