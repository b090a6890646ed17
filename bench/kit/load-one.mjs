// node bench/kit/load-one.mjs WHAT FILE: does one thing to a trace file, and prints as JSON how long that took, without Node's start.
import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';

const [what, file] = process.argv.slice(2);
const PIECE = 1 << 20;
const gunzipOptions = { chunkSize: PIECE, highWaterMark: 16 << 20 };

const tasks = {
  /** What every reader of a packed file has to do at least. */
  async inflate() {
    let bytes = 0;
    for await (const chunk of createReadStream(file, { highWaterMark: PIECE }).pipe(createGunzip(gunzipOptions))) {
      bytes += chunk.length;
    }
    return { bytes };
  },
  /** What a reader does that has no parser of its own: `JSON.parse` of whole rows, 1 MiB at a time, into columns. */
  async parse() {
    const columns = { start: [], dur: [], name: [], category: [], correlation: [] };
    const names = new Map();
    const intern = (text) => {
      let id = names.get(text);
      if (id === undefined) names.set(text, (id = names.size));
      return id;
    };
    let rest = '';
    let isHead = true;
    for await (const chunk of createReadStream(file, { highWaterMark: PIECE, encoding: 'latin1' })) {
      let text = rest + chunk;
      if (isHead) {
        text = text.slice(text.indexOf('[', text.indexOf('"traceEvents"')) + 1);
        isHead = false;
      }
      const border = text.lastIndexOf('\n  },\n');
      if (border < 0) {
        rest = text;
        continue;
      }
      for (const row of JSON.parse(`[${text.slice(0, border)}}]`)) {
        columns.start.push(row.ts);
        columns.dur.push(row.dur ?? 0);
        columns.name.push(intern(row.name));
        columns.category.push(intern(row.cat));
        columns.correlation.push(row.args?.correlation ?? -1);
      }
      rest = text.slice(border + 5);
    }
    return { rows: columns.start.length };
  },
  async load() {
    const { openTrace } = await import('../../dist/index.js');
    started = performance.now();
    const skip = process.env.BENCH_SKIP?.split(',') ?? [];
    const read = await openTrace(file, { file: 'bench', skip });
    if (!read.ok) throw new Error(read.error.message);
    return { rows: read.value.eventCount };
  },
  /** As the program opens a trace, with what it keeps in the folder that LONGPOLE_CACHE names. */
  async open() {
    const { openTrace } = await import('../../dist/index.js');
    started = performance.now();
    let written = Promise.resolve();
    const cache = { folder: process.env.LONGPOLE_CACHE, onWriting: (done) => (written = done) };
    const read = await openTrace(file, { file: 'bench', cache });
    if (!read.ok) throw new Error(read.error.message);
    const ms = performance.now() - started;
    const rows = read.value.eventCount;
    await written;
    return { ms, rows, writtenMs: performance.now() - started };
  },
  /** Loading, and all that comes behind it: the graph of the whole trace, and the path of all its steps with the slack of each op. */
  async path() {
    const { openTrace } = await import('../../dist/index.js');
    started = performance.now();
    const opened = await openTrace(file, { file: 'bench' });
    if (!opened.ok) throw new Error(opened.error.message);
    const ms = performance.now() - started;
    const step = process.env.BENCH_STEP === undefined ? {} : { step: Number(process.env.BENCH_STEP) };
    const answer = opened.value.ask('critical-path', { ...step, slack: true });
    if (answer.status !== 'ok') throw new Error(answer.reason);
    const restMs = performance.now() - started - ms;
    // What shorter ops would win is made when it is read.
    const groups = answer.result.slack?.leverage.length;
    const leverageMs = performance.now() - started - ms - restMs;
    return { ms, restMs, leverageMs, groups, rows: opened.value.eventCount };
  },
};

let started = performance.now();
const found = await tasks[what]();
process.stdout.write(JSON.stringify({ ms: performance.now() - started, ...found }));
