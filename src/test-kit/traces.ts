// The public traces beside the repository (`../shared/traces`, or LONGPOLE_TRACES). They are no part of it, so tests that need them
// are skipped, with the reason, where they are absent; CI has them, so there a missing one fails.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { TestRunner } from 'vitest';
import type { Subject } from '../analyses/contract.ts';
import { createSubject } from '../analyses/subject.ts';
import { graphOptionsOf } from '../graph/graph-options.ts';
import { type Graph, buildGraph } from '../graph/graph.ts';
import type { Trace } from '../trace/trace.ts';
import { readBytes } from './draw.ts';

const FOLDER = process.env['LONGPOLE_TRACES'] ?? fileURLToPath(new URL('../../../shared/traces', import.meta.url));
const saidOnce = new Set<string>();

/** The path of `sync/alexnet.json.gz` and the like. Where it is absent the test that asks ends here: skipped, or failed under CI. */
export function realTrace(file: string): string {
  const path = join(FOLDER, file);
  if (existsSync(path)) return path;
  const reason = `needs ${path}; set LONGPOLE_TRACES to the folder of public traces`;
  if (process.env['CI'] === 'true') throw new Error(reason);
  if (!saidOnce.has(FOLDER)) process.stderr.write(`skipped: ${reason}\n`);
  saidOnce.add(FOLDER);
  const running = TestRunner.getCurrentTest();
  if (running === undefined) throw new Error(`realTrace outside of a test: ${reason}`);
  return running.context.skip(reason);
}

/** The bytes of the JSON, inflated. */
export function realJson(file: string): Uint8Array {
  const bytes = readFileSync(realTrace(file));
  return bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes;
}

const opened = new Map<string, Trace>();
const graphs = new Map<string, Graph>();

/** The trace, read once a worker of the test run: it is immutable. */
export function openRealTrace(file: string): Trace {
  const known = opened.get(file);
  if (known !== undefined) return known;
  const trace = readBytes(realJson(file), file);
  opened.set(file, trace);
  return trace;
}

/** The graph without options, built once a worker. */
export function realGraph(file: string): Graph {
  const known = graphs.get(file);
  if (known !== undefined) return known;
  const graph = buildGraph(openRealTrace(file));
  graphs.set(file, graph);
  return graph;
}

/** What analyses are asked of, with that graph; all else is derived anew. */
export function realSubject(file: string): Subject {
  const subject = createSubject(openRealTrace(file));
  const plain = JSON.stringify(graphOptionsOf({}));
  return {
    ...subject,
    graph: (options = {}) =>
      JSON.stringify(graphOptionsOf(options)) === plain ? realGraph(file) : subject.graph(options),
  };
}

/** All trace files, each rank of the folders too, without what is no trace (`expected-hta`, `memory`, execution traces). */
export function realTraceFiles(): string[] {
  if (!existsSync(FOLDER)) return [];
  return readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.json(\.gz)?$/.test(file) && !/^(expected-hta|memory)\/|\.et\.json/.test(file))
    .sort();
}
