import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EVENT_KINDS } from '../../protocol/timeline.ts';
import { sampleTimeline } from '../../test-kit/sample-timeline.ts';
import { FIRST_STATE, stateOfText, textOfState } from './page-state.ts';
import { exactNameQuery, nextHit, parseQuery } from './search.ts';
import { exactText, fitted, panned, spanOf, tickText, ticksOf, within, wholeOf, zoomed } from './view.ts';

describe('a link', () => {
  test('opened again shows the same', () => {
    const ids = fc.array(fc.stringMatching(/^[a-z0-9.&=#+% -]+$/), { maxLength: 4 });
    const state = fc.record({
      view: fc.tuple(fc.integer({ min: -1e12, max: 1e12 }), fc.integer({ min: 1, max: 1e12 })).map(([start, span]) => ({
        start,
        end: start + span,
      })),
      event: fc.nat(),
      isDimmed: fc.boolean(),
      query: fc.string({ unit: 'grapheme' }),
      toggled: ids,
      area: fc
        .tuple(fc.integer({ min: -1e12, max: 1e12 }), fc.integer({ min: 1, max: 1e12 }), ids)
        .map(([start, span, lanes]) => ({ start, end: start + span, ...(lanes.length === 0 ? {} : { lanes }) })),
      pinned: ids,
      order: ids,
      laneFilter: fc.string({ unit: 'grapheme' }),
      scheme: fc.constantFrom('' as const, 'light' as const, 'dark' as const),
      panel: fc.constantFrom('', 'area', 'idle'),
      top: fc.nat({ max: 9_999_999 }),
    });
    fc.assert(
      fc.property(state, (each) => {
        expect(stateOfText(textOfState(each))).toEqual(each);
      }),
    );
  });
  test('is short where all is as at first, and nonsense in it is passed over', () => {
    expect(textOfState(FIRST_STATE)).toBe('');
    expect(stateOfText('')).toEqual(FIRST_STATE);
    expect(stateOfText('t=9..3&e=-4&top=x&q=%E0%A4%A&javascript:alert(1)&dim=2')).toEqual(FIRST_STATE);
    expect(stateOfText('e=e-12')).toEqual({ ...FIRST_STATE, event: 12 });
    expect(textOfState({ ...FIRST_STATE, query: 'a\ud800b' })).toBe('q=a%EF%BF%BDb');
  });
});

describe('a search', () => {
  const kind = (name: (typeof EVENT_KINDS)[number]): number => EVENT_KINDS.indexOf(name);
  const timeline = sampleTimeline(
    [
      [
        [0, 5_000],
        [6_000, 40_000],
      ],
      [
        [1_000, 2_000],
        [50_000, 50_100],
      ],
    ],
    {
      names: ['Gemm_tn', 'ncclAllReduce', 'aten::mm', 'my op'],
      kinds: [kind('kernel'), kind('collective'), kind('op'), kind('op')],
      lanes: [
        { id: 's-0.7', kind: 'stream', rows: 1 },
        { id: 't-1.100', kind: 'host', rows: 1 },
      ],
    },
  );
  const hits = (text: string): number[] | string => {
    const query = parseQuery(text);
    return query.ok ? [...query.matches(timeline)] : query.why;
  };
  test.each([
    ['', []],
    ['gemm', [0]],
    ['name:GEMM,nccl', [0, 1]],
    ['kind:op', [2, 3]],
    ['cat:kernel,collective -nccl', [0]],
    ['cat:kernel', [0, 1]],
    ['cat:cpu_op,gpu_memcpy', [2, 3]],
    ['stream:7', [0, 1]],
    ['stream:0.7 -kind:kernel', [1]],
    ['stream:100', []],
    ['name:=gemm_tn', [0]],
    ['name:=gemm', []],
    ['name:"my op","aten::mm"', [2, 3]],
    ['lane:t-1.100 dur<500ns', [3]],
    ['dur>=5us', [0, 1]],
    ['-kind:op dur<=5us', [0]],
    ['"my op"', [3]],
    ['aten::mm', [2]],
    ['<script>', []],
  ])('%s', (text, expected) => expect(hits(text)).toEqual(expected));
  test('that cannot be meant says why', () => {
    expect(hits('dur>10')).toBe('dur> needs a time with its unit, such as dur>10us');
    expect(hits('kind:gemm')).toMatch(/^'gemm' is no kind: kernel, /);
  });
  test('for the events of a name finds these, whatever is in it', () => {
    expect(exactNameQuery('void f<4, "x">(a, b)')).toBe('name:"void f<4, "');
    const made = sampleTimeline(
      [
        [
          [0, 1],
          [2, 3],
        ],
      ],
      { names: ['void f<4, a>(b c), d', 'void f<4, a>(b c), d, e'] },
    );
    const query = parseQuery(exactNameQuery('void f<4, a>(b c), d'));
    expect(query.ok && [...query.matches(made)]).toEqual([0]);
  });
  test('goes round, from what is selected or from the left edge', () => {
    const found = Int32Array.of(0, 2, 1);
    expect(nextHit(found, timeline, { event: 0, time: 0 }, 1)).toBe(2);
    expect(nextHit(found, timeline, { event: 1, time: 0 }, 1)).toBe(0);
    expect(nextHit(found, timeline, { event: 0, time: 0 }, -1)).toBe(1);
    expect(nextHit(found, timeline, { event: -1, time: 500 }, 1)).toBe(2);
    expect(nextHit(found, timeline, { event: -1, time: 500 }, -1)).toBe(0);
    expect(nextHit(Int32Array.of(), timeline, { event: -1, time: 0 }, 1)).toBe(-1);
  });
});

describe('a view', () => {
  const bounds = { start: 0, end: 1_000_000 };
  test('stays within the trace whatever is done to it', () => {
    const act = fc.oneof(
      fc.record({ kind: fc.constant('zoom' as const), by: fc.double({ min: 0.001, max: 1_000, noNaN: true }) }),
      fc.record({ kind: fc.constant('pan' as const), by: fc.double({ min: -50, max: 50, noNaN: true }) }),
    );
    fc.assert(
      fc.property(fc.array(act, { maxLength: 30 }), (acts) => {
        let view = wholeOf(bounds);
        const whole = view;
        for (const { kind, by } of acts) {
          view = kind === 'zoom' ? zoomed(view, by, view.start + 0.3 * spanOf(view), bounds) : panned(view, by, bounds);
          expect(view.start).toBeGreaterThanOrEqual(whole.start - 1e-6);
          expect(view.end).toBeLessThanOrEqual(whole.end + 1e-6);
          expect(spanOf(view)).toBeGreaterThan(7.9);
        }
      }),
    );
  });
  test('what is zoomed at stays where it is', () => {
    const view = { start: 100_000, end: 200_000 };
    const closer = zoomed(view, 0.5, 125_000, bounds);
    expect(closer).toEqual({ start: 112_500, end: 162_500 });
  });
  test('an event without length can be fitted', () => {
    expect(spanOf(fitted({ start: 500, end: 500 }, bounds))).toBeGreaterThanOrEqual(8);
    expect(spanOf(within({ start: 5, end: 5 }, bounds))).toBe(8);
  });
  test('marks of the axis are round, and say their unit', () => {
    const { step, times } = ticksOf({ start: 0, end: 60e6 }, 800, 100);
    expect(step).toBe(1e7);
    expect(times.map((time) => tickText(time, step))).toEqual([
      '0 ms',
      '10 ms',
      '20 ms',
      '30 ms',
      '40 ms',
      '50 ms',
      '60 ms',
    ]);
    expect(tickText(1_234_000, 1_000)).toBe('1,234 µs');
    expect(tickText(1_234_567_000, 2e5)).toBe('1,234.6 ms');
    expect(tickText(12_345_678, 20)).toBe('12,345,678 ns');
    expect(tickText(2_500_000_000, 5e8)).toBe('2.5 s');
    expect(exactText(12_345_678.4)).toBe('12,345,678 ns');
  });
});
