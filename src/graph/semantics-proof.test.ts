// What the proof on random programs found, each as the smallest drawing: what a trace does not tell is not called resolved.
import { describe, expect, test } from 'vitest';
import { syncOf } from '../test-kit/answers.ts';
import type { DrawOptions } from '../test-kit/draw.ts';

const statuses = (drawing: string, options: DrawOptions = {}): string[] =>
  syncOf(drawing, options).edges.map(({ status, source }) => `${status} ${source?.name ?? '-'}`);

describe('records and waits', () => {
  test('an event id does not tell the record where one without a row lies between', () => {
    const drawing = (rows: string): string => `
      cpu 1    | cudaLaunchKernel#1@0+4 cudaEventRecord#2@5+1 cudaLaunchKernel#3@10+4 cudaEventRecord#4@15+1
               | cudaStreamWaitEvent#5@20+1 cudaLaunchKernel#6@25+4
      gpu 0.7  | a#1@10+10 b#3@21+10
      gpu 0.20 | c#6@40+10
      record 0 | ${rows}
      sync 0   | StreamWait#5{stream=20,event=1}`;
    expect(statuses(drawing('#2{stream=7,event=1} #4{stream=7,event=1}'))).toEqual(['resolved b']);
    expect(statuses(drawing('#2{stream=7,event=1}'))).toEqual(['heuristic:event-id a']);
  });

  test("a record's own row tells its device, also where only another device has ops on such a stream", () => {
    const found = statuses(`
      cpu 1    | cudaLaunchKernel#1@0+4 cudaEventRecord#2@5+1 cudaStreamWaitEvent#3@10+1 cudaLaunchKernel#4@15+4
      gpu 1.7  | a#1@10+30
      gpu 0.20 | b#4@25+10
      record 0 | #2{stream=7,event=1}
      sync 0   | StreamWait#3{stream=20,on=7,record=2,event=1}`);
    expect(found).toEqual(['empty -']);
  });

  test('a launch without a row may have been what a record captured, or what a wait held', () => {
    const drawing = (call: string, at: number): string => `
      cpu 1    | cudaLaunchKernel#1@0+4 cudaEventRecord#4@10+1 cudaStreamWaitEvent#6@20+1 cudaLaunchKernel#9@35+4
               | ${call}@${at}+2
      gpu 0.7  | a#1@10+20
      gpu 0.20 | b#9@45+10
      sync 0   | StreamWait#6{stream=20,on=7,record=4,event=1}`;
    expect(statuses(drawing('cudaLaunchKernel#3', 6))).toEqual(['heuristic:lost-rows a']);
    expect(statuses(drawing('cudaLaunchKernel#8', 30))).toEqual(['heuristic:lost-rows a']);
    expect(statuses(drawing('cudaLaunchKernel#5', 15))).toEqual(['resolved a']);
    expect(statuses(drawing('cudaMemcpyAsync#3', 6))).toEqual(['resolved a']);
  });

  test('launches that only draw a graph are not lost', () => {
    const found = statuses(`
      cpu 1    | cudaLaunchKernel#1@0+2 cudaStreamBeginCapture#2@3+1 cudaLaunchKernel#3@5+2 cudaStreamEndCapture#4@8+1
               | cudaEventRecord#5@10+1 cudaStreamWaitEvent#6@20+1 cudaLaunchKernel#9@35+4
      gpu 0.7  | a#1@10+20
      gpu 0.20 | b#9@45+10
      sync 0   | StreamWait#6{stream=20,on=7,record=5,event=1}`);
    expect(found).toEqual(['resolved a']);
  });
});

describe('calls of two threads at once', () => {
  test("a launch that begins while another thread's record is under way may have come first", () => {
    const drawing = (at: number): string => `
      cpu 1    | cudaLaunchKernel#1@0+4 cudaEventRecord#2@10+2 cudaStreamWaitEvent#5@20+1 cudaLaunchKernel#6@25+4
      cpu 2    | cudaLaunchKernel#3@${at}+4
      gpu 0.7  | a#1@6+20 c#3@30+5
      gpu 0.20 | b#6@40+10
      sync 0   | StreamWait#5{stream=20,on=7,record=2,event=1}`;
    expect(statuses(drawing(11))).toEqual(['heuristic:racing-call a']);
    expect(statuses(drawing(14))).toEqual(['resolved a']);
  });

  test("a wait under way with another thread's record of its stream may not be part of what that captured", () => {
    const drawing = (at: number): string => `
      cpu 1    | cudaLaunchKernel#1@0+4 cudaEventRecord#2@5+1 cudaStreamWaitEvent#3@10+2
      cpu 2    | cudaEventRecord#4@${at}+2 cudaStreamWaitEvent#5@20+1 cudaLaunchKernel#6@25+4
      gpu 0.7  | a#1@6+20
      gpu 0.24 | b#6@40+10
      sync 0   | StreamWait#3{stream=20,on=7,record=2,event=1} StreamWait#5{stream=24,on=20,record=4,event=2}`;
    expect(statuses(drawing(11))).toContain('heuristic:racing-call a');
    expect(statuses(drawing(14))).toContain('resolved a');
  });
});

describe('the device of a synchronisation', () => {
  test('is the one that its row names; where it names none and all work is on one, that one is a guess', () => {
    const drawing = (device: number): string => `
      cpu 1   | cudaLaunchKernel#1@0+4 cudaDeviceSynchronize#2@10+25
      gpu 1.7 | a#1@6+26
      sync 1  | ContextSync#2{device=${device}}`;
    expect(statuses(drawing(1))).toEqual(['resolved a']);
    expect(statuses(drawing(-1))).toEqual(['heuristic:assumed-device a']);
    expect(statuses(drawing(0))).toEqual(['empty -']);
    expect(statuses(drawing(2))).toEqual(['empty -']);
  });
});

describe('copies', () => {
  test('of a blocking copy from memory that is not known it is a guess that it was waited for', () => {
    const drawing = (name: string): string => `
      cpu 1   | hipMemcpy#1@0+20
      gpu 0.7 | ${name}#1@6+10`;
    expect(statuses(drawing('Memcpy HtoD (Host -> Device)'))).toEqual([
      'heuristic:copy-return Memcpy HtoD (Host -> Device)',
    ]);
    expect(statuses(drawing('Memcpy DtoH (Device -> Host)'))).toEqual(['resolved Memcpy DtoH (Device -> Host)']);
  });
});

describe('whole µs', () => {
  test('calls of one instant do not contradict their ids', () => {
    const found = statuses(`
      cpu 1    | cudaLaunchKernel#1@0+4 cudaEventRecord#2@5+0 cudaStreamWaitEvent#3@5+1 cudaLaunchKernel#5@6+4
               | cudaEventRecord#4@6+0
      gpu 0.7  | a#1@6+20
      gpu 0.20 | b#5@30+10
      sync 0   | StreamWait#3{stream=20,on=7,record=2,event=1}`);
    expect(found).toEqual(['resolved a']);
  });

  test('ops that begin at once began as they were enqueued', () => {
    const found = statuses(`
      cpu 1    | cudaLaunchKernel#1@0+1 cudaLaunchKernel#2@2+1 cudaEventRecord#3@4+1 cudaStreamWaitEvent#4@6+1 cudaLaunchKernel#5@8+1
      gpu 0.7  | first#1@20+20 second#2@20+30
      gpu 0.20 | b#5@60+10
      sync 0   | StreamWait#4{stream=20,on=7,record=3,event=1}`);
    expect(found).toEqual(['resolved second']);
  });
});
