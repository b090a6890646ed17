/** A thread that reads the second half of a large plain file. */
import { parentPort, workerData } from 'node:worker_threads';
import { assert } from '../base/assert.ts';
import { RestReader } from '../ingest/read-rest.ts';
import { buffersOf } from '../trace/builder-part.ts';
import { readPieces } from './read-pieces.ts';
import type { RestRequest } from './rest-thread.ts';

async function main(): Promise<void> {
  assert(parentPort !== null, 'runs as a thread');
  const { path, from, size, options } = workerData as RestRequest;
  const reader = new RestReader(from, options);
  let isExpected = false;
  for await (const piece of readPieces(path, from.byteOffset, size)) {
    reader.push(piece);
    const done = reader.byteLength - from.byteOffset;
    if (isExpected || done < 16 << 20) continue;
    isExpected = true;
    reader.expect(done / (size - from.byteOffset));
  }
  const rest = reader.finish();
  parentPort.postMessage(rest, buffersOf(rest.part));
}

await main();
