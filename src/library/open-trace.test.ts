import { describe, expect, test } from 'vitest';
import { readJson, traceOf } from '../test-kit/draw.ts';
import { type OpenTrace, openTraceOf } from './open-trace.ts';
import { criticalPath, explain, info, report, sync, whatIf } from './questions.ts';
import { NoAnswerError, unwrap } from './unwrap.ts';
import type { WindowOptions } from './window-options.ts';

const drawn = `
  ann 1    | ProfilerStep#5@0+50 ProfilerStep#6@50+50
  cpu 1    | cudaLaunchKernel#1@2+5 cudaLaunchKernel#2@52+5
  gpu 0.7  | gemm#1@10+30 gemm#2@60+30`;
const trace = (): OpenTrace => openTraceOf(traceOf(drawn));

describe('windows', () => {
  const label = (options?: WindowOptions) => unwrap(criticalPath(trace(), options)).window.label;
  test('by default: all complete steps', () => expect(label()).toBe(label({ steps: { first: 5, last: 6 } })));
  test('one step', () => expect(label({ step: 6 })).toBe('ProfilerStep#6'));
  test('an annotation, or one that matches', () => {
    expect(label({ annotation: 'ProfilerStep#5' })).toBe('ProfilerStep#5');
    expect(label({ match: '^ProfilerStep', instance: 1 })).toBe('ProfilerStep#6');
    expect(label({ match: '^ProfilerStep', instance: { first: 0, last: 0 } })).toBe('ProfilerStep#5');
  });
  test('a span of time', () => expect(label({ range: { startNs: 0, endNs: 20_000 } })).toBe('range'));
  test('a step that is not there is no error', () =>
    expect(criticalPath(trace(), { step: 7 })).toEqual({
      status: 'not-applicable',
      reason: 'the trace has no such step; it has 5 to 6',
    }));
});

describe('options', () => {
  const wrong = (options: object) => () => criticalPath(trace(), options);
  test('what cannot be meant throws', () => {
    expect(wrong({ step: 5, range: { startNs: 0, endNs: 5 } })).toThrow('step and range each choose a window');
    expect(() => sync(trace(), { step: 5 } as object)).toThrow('sync is about the whole trace');
    expect(wrong({ instance: 1 })).toThrow('add annotation or match');
    expect(wrong({ range: { startNs: 5, endNs: 5 } })).toThrow(RangeError);
    expect(wrong({ steps: { first: 6, last: 5 } })).toThrow(RangeError);
    expect(wrong({ step: 1.5 })).toThrow(RangeError);
    expect(wrong({ match: '(' })).toThrow(SyntaxError);
    expect(wrong({ dataLoading: '(' })).toThrow(SyntaxError);
    expect(wrong({ classRules: [{ match: '(', class: 'copy' }] })).toThrow(SyntaxError);
    expect(() => explain(trace(), { event: 'gemm' })).toThrow("'gemm' is no event");
    expect(() => explain(trace(), { event: 'r-3/e-1' })).toThrow('of rank 3; this trace is rank 0');
    expect(() => whatIf(trace(), { changes: [] })).toThrow('nothing to change');
  });
  test('undefined is left out', () => {
    const open = trace();
    expect(criticalPath(open, { exact: undefined } as object)).toBe(criticalPath(open));
  });
  test('an event by handle, correlation or reference', () => {
    const open = trace();
    const { event } = unwrap(explain(open, { event: 'corr:2' }));
    expect(event).toMatchObject({ name: 'gemm', kind: 'device-op', correlation: 2 });
    expect(unwrap(explain(open, { event })).event).toEqual(event);
    expect(unwrap(explain(open, { event: `e-${event.event}` })).event).toEqual(event);
    expect(unwrap(explain(open, { event: { kind: 'correlation', correlation: 2 } })).event).toEqual(event);
  });
  test('changes are told in the words of the command line', () => {
    const select = { by: 'name', text: 'gem+', isPattern: true } as const;
    const asked = whatIf(trace(), {
      changes: [
        { kind: 'scale', select, factor: 0.5 },
        { kind: 'remove', select: { by: 'kind', text: 'copy', isPattern: false } },
        { kind: 'launch-latency', ns: 0 },
        { kind: 'no-host-gaps' },
        { kind: 'graph-launch', shorterThanNs: 20_000 },
      ],
      force: true,
    });
    const said = JSON.stringify(unwrap(asked));
    expect(said).toContain('--remove kind:copy');
  });
});

test('a handle keeps what was derived', () => {
  const open = trace();
  expect(criticalPath(open, { step: 5 })).toBe(criticalPath(open, { steps: { first: 5, last: 5 } }));
  expect(open.ask('critical-path')).toBe(criticalPath(open));
  expect(criticalPath(open, { exact: true, slack: true })).toBe(criticalPath(open, { slack: true, exact: true }));
  expect(report(open)).toBe(report(open));
  expect(unwrap(report(open)).verdict.unit).toBe('step');
});

test('without events only info applies', () => {
  const open = openTraceOf(readJson('[]'));
  expect(info(open).status).toBe('ok');
  expect(report(open)).toMatchObject({ status: 'not-applicable' });
  expect(() => unwrap(sync(open))).toThrow(NoAnswerError);
  expect(() => unwrap(sync(open))).toThrow('no events');
});
