import { expect, test } from 'vitest';
import { buildGraph } from '../graph/graph.ts';
import { traceOf } from '../test-kit/draw.ts';
import { coverageNotes } from './notes.ts';

const notesOf = (drawing: string): string[] => coverageNotes(buildGraph(traceOf(drawing)));
const NO_ROWS = 'the trace has no cuda_sync rows: waits between streams are not known';

test('one of a thing is told in the singular, and nothing of it not at all', () => {
  expect(notesOf('cpu 1 | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@10+5\ngpu 0.7 | gemm#1@20+10')).toEqual([
    NO_ROWS,
    '1 of 2 launch calls has no device row',
  ]);
  expect(
    notesOf('cpu 1 | cudaLaunchKernel#1@0+5 cudaStreamSynchronize#2@10+30\ngpu 0.7 | gemm#1@20+10 relu#9@31+1'),
  ).toEqual([
    `${NO_ROWS}, and 1 synchronising call is joined to the op that ended last inside it (heuristic:call-span)`,
    '1 of 2 device ops has no launch call',
  ]);
  expect(notesOf('cpu 1 | cudaLaunchKernel#1@10+5\ngpu 0.7 | gemm#1@5+10')).toEqual([
    NO_ROWS,
    'the clock contradicts 1 constraint, by up to 5.000 µs',
  ]);
});
