import { describe, expect, test } from 'vitest';
import { ANALYSES } from '../analyses/registry.ts';
import { EVENT_KINDS, type Timeline } from '../protocol/timeline.ts';
import { traceOf } from '../test-kit/draw.ts';
import { openRealTrace } from '../test-kit/traces.ts';
import { createSession } from '../library/session.ts';
import { buildTimeline } from './build-timeline.ts';

const timelineOf = (drawing: string): Timeline =>
  buildTimeline(createSession(traceOf(drawing)), ANALYSES['critical-path'].defaults);

/** `s-0.7: gemm | relu`: the names of each row, of each lane. */
function rowsOf({ lanes, rowFirst, name, names }: Timeline): string[] {
  return lanes.map(({ id, firstRow, rows }) => {
    const texts = Array.from({ length: rows }, (_, row) => {
      const [from, to] = [rowFirst[firstRow + row], rowFirst[firstRow + row + 1]];
      return Array.from(name.subarray(from, to), (each) => names[each]).join(' ');
    });
    return `${id}: ${texts.join(' | ')}`;
  });
}

const TWO_STREAMS = `
  ann 1    | ProfilerStep#5@0+100
  py 1     | train.py(12):step@0+99
  cpu 1    | mm@2+10 cudaLaunchKernel#1@4+5 cudaEventRecord#2@12+2 cudaStreamWaitEvent#3@15+2
           | aten::relu@19+8 cudaLaunchKernel#4@20+5
  cpu 2    | aten::add@50+3
  gpu 0.7  | gemm#1@15+30
  gpu 0.20 | relu#4@47+5
  sync 0   | StreamWait#3{stream=20,on=7,record=2,event=1}`;

describe('lanes', () => {
  test('annotations, streams, threads by how long they work, each nested by time', () => {
    const rows = rowsOf(timelineOf(TWO_STREAMS));
    expect(rows.slice(1, 3)).toEqual(['s-0.7: gemm', 's-0.20: relu']);
    expect(rows[0]).toMatch(/^annotations-t-.*: ProfilerStep#5$/);
    expect(rows[3]).toMatch(
      /: mm cudaEventRecord cudaStreamWaitEvent aten::relu \| cudaLaunchKernel cudaLaunchKernel$/,
    );
    expect(rows[4]).toMatch(/^python-t-.*: train.py\(12\):step$/);
    expect(rows[5]).toMatch(/: aten::add$/);
  });
  test('what overlaps is on rows of its own', () => {
    const rows = rowsOf(timelineOf('gpu 0.7 | a@0+10 b@5+10 c@8+4 d@20+1'));
    expect(rows).toEqual(['s-0.7: a d | b | c']);
  });
});

test('the path and its windows', () => {
  const { windows, pathStart, pathEnd, pathPosition, segmentKinds, pathKind } = timelineOf(TWO_STREAMS);
  expect(windows).toEqual([{ label: 'ProfilerStep#5', startNs: 0, endNs: 100_000 }]);
  expect(pathStart[0]).toBe(0);
  expect(pathEnd.at(-1)).toBe(100_000);
  for (let s = 1; s < pathStart.length; s++) expect(pathStart[s]).toBe(pathEnd[s - 1]);
  expect(pathPosition.length).toBe(pathStart.length);
  expect(pathKind.every((kind) => segmentKinds[kind] !== undefined)).toBe(true);
});

test('the queue of each stream', () => {
  const { lanes, counters, counterFirst, counterTime, counterValue } = timelineOf(TWO_STREAMS);
  const of7 = lanes.find(({ id }) => id === 's-0.7')?.counter ?? -1;
  expect(counters[of7]).toEqual({ id: 'queue depth s-0.7', title: 'Queue depth s-0.7', unit: 'ops waiting', max: 1 });
  const [from, to] = [counterFirst[of7], counterFirst[of7 + 1]];
  expect([...counterTime.subarray(from, to)]).toEqual([4_000, 15_000]);
  expect([...counterValue.subarray(from, to)]).toEqual([1, 0]);
});

test('copies have a lane of their bandwidth behind the streams, which has no rows', () => {
  const { lanes, counters, counterFirst, counterTime, counterValue } = timelineOf(
    `cpu 1   | mm@0+20 cudaMemcpyAsync#1@2+2 cudaLaunchKernel#2@7+2
     gpu 0.7 | Memcpy HtoD (Pinned -> Device)#1@10+4{bytes=8000} gemm#2@15+30`,
  );
  expect(lanes.map(({ id }) => id)).toEqual(['s-0.7', 'Memcpy HtoD GB/s of device 0', 't-100.1']);
  expect(lanes[1]).toMatchObject({ kind: 'counter', title: 'Memcpy HtoD, device 0', rows: 0, counter: 1 });
  expect(counters[1]).toMatchObject({ unit: 'GB/s', max: 2 });
  const [from, to] = [counterFirst[1], counterFirst[2]];
  expect([...counterTime.subarray(from, to)]).toEqual([10_000, 14_000]);
  expect([...counterValue.subarray(from, to)]).toEqual([2, 0]);
});

test('what has no path says why', () => {
  expect(timelineOf('ann 1 | x@0+5').noPath).toEqual(expect.any(String));
});

test.each(['sync/alexnet.json.gz', 'single/qwen_h100_stacks.json.gz', 'single/gpu_only_mi210.json.gz'])(
  '%s: every row of the file is drawn or counted, and no row of a lane holds two events at once',
  (file) => {
    const trace = openRealTrace(file);
    const timeline = buildTimeline(createSession(trace), ANALYSES['critical-path'].defaults);
    const { leftOut, start, end, rowFirst, position, kind, startNs, endNs } = timeline;
    expect(start.length + leftOut.withoutLength + leftOut.withoutTime).toBe(trace.eventCount);
    expect(new Set(position).size).toBe(position.length);
    expect(Math.max(...new Set(kind))).toBeLessThan(EVENT_KINDS.length);
    for (let row = 0; row + 1 < rowFirst.length; row++) {
      for (let e = rowFirst[row]; e < rowFirst[row + 1]; e++) {
        if (start[e] < startNs || end[e] > endNs) expect.fail(`event ${e} is beyond the bounds`);
        if (e > rowFirst[row] && start[e] < end[e - 1]) expect.fail(`events ${e - 1} and ${e} of row ${row} overlap`);
      }
    }
  },
);
