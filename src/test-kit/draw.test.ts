import { describe, expect, test } from 'vitest';
import { RowKind } from '../trace/kinds.ts';
import type { Trace } from '../trace/trace.ts';
import { jsonOf, traceOf } from './draw.ts';
import { parseDrawing } from './drawing.ts';
import { openRealTrace, realTraceFiles } from './traces.ts';

/** `kind name#correlation@start+duration pid.tid`, times in µs. */
function rowsOf({ events, strings, categories, tracks }: Trace): string[] {
  const kinds = Object.keys(RowKind);
  const rows: string[] = [];
  for (let e = 0; e < events.length; e++) {
    const kind = kinds[categories[events.category[e]]?.kind ?? 0];
    const id = events.correlation[e] === -1 ? '' : `#${events.correlation[e]}`;
    const { pid, tid } = tracks[events.track[e]] ?? { pid: '?', tid: '?' };
    rows.push(
      `${kind} ${strings.text(events.name[e])}${id}@${events.start[e] / 1000}+${events.dur[e] / 1000} ${pid}.${tid}`,
    );
  }
  return rows;
}

const DRAWING = `
  cpu 1    | mm@0+20 cudaLaunchKernel#1@5+5 cuLaunchKernel#2@12+2
           | aten::add (x)#7@30+500ns            // the track above goes on
  gpu 0.7  | gemm#1@15.5+30
  gpu 1.20 | Memcpy DtoH (Device -> Pageable)#2@47+5 Memset (Device)@60+1 ncclKernel#-1@70+1
  sync 1   | StreamWait#2{stream=20,on=7,record=2,event=1} ContextSync#9@80+4
  record 0 | #1{stream=7,event=5}
  ann 1    | ProfilerStep#5@0+100
  py 1     | train.py(12): f@0+100{id=3}`;

describe('drawings', () => {
  test('are read by the real reader', () => {
    expect(rowsOf(traceOf(DRAWING))).toEqual([
      'annotation ProfilerStep#5@0+100 100.1',
      'python train.py(12): f@0+100 100.1',
      'op mm@0+20 100.1',
      'runtime cudaLaunchKernel#1@5+5 100.1',
      'record cudaEvent#1@5+0.001 0.7',
      'driver cuLaunchKernel#2@12+2 100.1',
      'sync Stream Wait Event#2@12+2 1.20',
      'kernel gemm#1@15.5+30 0.7',
      'op aten::add (x)#7@30+0.5 100.1',
      'copy Memcpy DtoH (Device -> Pageable)#2@47+5 1.20',
      'fill Memset (Device)@60+1 1.20',
      'kernel ncclKernel@70+1 1.20',
      'sync Context Sync#9@80+4 1.-1',
    ]);
  });

  test('have their args in side tables', () => {
    const { sync, records, device, python } = traceOf(DRAWING);
    expect([sync.stream[0], sync.waitOnStream[0], sync.waitOnRecord[0], sync.waitOnEventId[0]]).toEqual([20, 7, 2, 1]);
    expect([records.device[0], records.stream[0], records.eventId[0]]).toEqual([0, 7, 5]);
    expect([device.device[0], device.stream[0], python.pythonId[0]]).toEqual([0, 7, 3]);
  });

  test.each([
    ['relative to a base', { baseUnixNs: 1_699_999_990_000_000_000n }],
    ['at another time', { zeroUnixNs: 1_712_345_678_901_234_567n }],
    ['in another order', { shuffleSeed: 3 }],
  ])('say the same %s', (_, options) => {
    const [drawn, other] = [traceOf(DRAWING), traceOf(DRAWING, options)];
    expect([...rowsOf(other)].sort()).toEqual([...rowsOf(drawn)].sort());
    expect(other.originUnixNs).toBe('zeroUnixNs' in options ? options.zeroUnixNs : 1_700_000_000_000_000_000n);
  });

  test('are the same text each time, in another order for another seed', () => {
    expect(jsonOf(DRAWING, { shuffleSeed: 1 })).toBe(jsonOf(DRAWING, { shuffleSeed: 1 }));
    expect(jsonOf(DRAWING, { shuffleSeed: 1 })).not.toBe(jsonOf(DRAWING, { shuffleSeed: 2 }));
  });

  test('may speak HIP, and leave the times of records out', () => {
    expect(jsonOf(DRAWING, { vendor: 'hip' })).toContain('"hipLaunchKernel"');
    expect(jsonOf(DRAWING, { recordTimes: 'zero' })).toMatch(/"cudaEvent".*"ts":0,/);
  });

  test.each([
    ['cpu 1 mm@0+20', /no \|/],
    ['cpu x | mm@0+20', /no such track/],
    ['cpu 1 | mm@0', /cannot read "mm@0"/],
    ['cpu 1 | mm@0+20{stream}', /key=value/],
    ['sync 0 | StreamWait#1{stream=7}', /has no time/],
    ['sync 0 | WaitForIt#1@0+1', /no such sync row/],
  ])('that cannot be read are an error: %s', (drawing, message) => {
    expect(() => jsonOf(drawing)).toThrow(message);
  });

  test('have flows between threads', () => {
    expect(parseDrawing('flow | fwdbwd#1 1@10 -> 2@50').flows).toEqual([
      { category: 'fwdbwd', id: 1, from: { thread: 1, time: 10_000 }, to: { thread: 2, time: 50_000 } },
    ]);
  });
});

test('each public trace is opened once', () => {
  for (const file of realTraceFiles().slice(0, 2)) expect(openRealTrace(file)).toBe(openRealTrace(file));
});
