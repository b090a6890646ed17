/** A thread that maps the files that it is given, one after the other. */
import { parentPort } from 'node:worker_threads';
import { assert } from '../../base/assert.ts';
import type { MapReply, MapRequest } from './map-pool.ts';
import { mapRankFile } from './map-rank-file.ts';

const port = parentPort;
assert(port !== null, 'runs as a thread');
port.on('message', ({ file, options }: MapRequest) => {
  // What is thrown here is a bug of ours and ends the thread: whoever gave the file hears of it.
  void mapRankFile(file, options).then((reply: MapReply) => port.postMessage(reply));
});
