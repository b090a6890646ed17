// Traces drawn as text: one line a track, so that every expected number of a test can be read off the drawing.
//
//   cpu 1    | mm@0+20 cudaLaunchKernel#1@5+5 cudaEventRecord#2@12+2 cudaStreamWaitEvent#3@15+2
//   gpu 0.7  | gemm#1@15+30
//   gpu 0.20 | relu#4@47+5
//   sync 0   | StreamWait#3{stream=20,on=7,record=2,event=1}
//   record 0 | #2{stream=7,event=1}
//   ann 1    | ProfilerStep#5@0+100
//   py 1     | train.py(12): step@0+100
//   flow     | fwdbwd#1 1@10 -> 2@50
//
// An item is NAME#CORRELATION@START+DURATION{ARGS}. Times are µs, or ns with the suffix `ns`; `#…` and `{…}` may be left out.
// A name may hold blanks and `#`, but no `@`. An empty label goes on with the track above; `//` begins a comment.
//
// track          what its items are
// cpu T[:NAME]   on host thread T (called NAME, such as pt_autograd_0): names like cudaX and hipX are runtime calls, cuX driver
//                calls, all others ops. Nesting is by time. `seq`, `fwd`, `ext` stand for Sequence number, Fwd thread id, External id
// gpu D.S        on stream S of device D: `Memcpy …` is a copy, `Memset …` a fill, all others kernels. Rows that share a correlation
//                are of one launch (a graph). `graph`, `node` stand for graph id, graph node id
// sync D         sync rows of device D: StreamWait, EventSync, StreamSync, ContextSync. `stream` is the waiting stream (−1 if left
//                out), `on` `record` `event` what it waits for (−1 if left out; `record=none` leaves the field away, as in 2023)
// record D       `cuda_event` rows of device D: `stream`, `event`
// ann T, py T    annotations (`#` is part of the name) and Python frames (`id`, `parent`)
// flow           CATEGORY#ID THREAD@TIME -> THREAD@TIME
//
// Sync and record rows without a time have that of their call. `{cat=…}` and `{ph=…}` replace an item's own.
import { TraceReader } from '../ingest/read-trace.ts';
import type { Trace } from '../trace/trace.ts';
import { parseDrawing } from './drawing.ts';
import { type WriteOptions, writeKineto } from './kineto.ts';

export type DrawOptions = WriteOptions;

/** The drawing as the JSON text of a trace file. */
export function jsonOf(drawing: string, options: DrawOptions = {}): string {
  return writeKineto(parseDrawing(drawing), options);
}

/** The drawing as our own reader reads it. */
export function traceOf(drawing: string, options: DrawOptions = {}): Trace {
  return readJson(jsonOf(drawing, options));
}

export function readJson(json: string, file = 'drawn.json'): Trace {
  return readBytes(new TextEncoder().encode(json), file);
}

export function readBytes(bytes: Uint8Array, file: string): Trace {
  const reader = new TraceReader({ file });
  reader.push(bytes);
  const read = reader.finish();
  if (!read.ok) throw new Error(`${file}: ${JSON.stringify(read.error)}`);
  return read.value;
}
