// Steps where no annotation marks them: found where they are, and nowhere else.
import { describe, expect, test } from 'vitest';
import { readBytes, traceOf } from '../test-kit/draw.ts';
import { realGraph, realJson, realTraceFiles } from '../test-kit/traces.ts';
import { buildGraph } from './graph.ts';
import { type FoundRepetition, findRepetition } from './repetition.ts';
import { findSteps } from './steps.ts';

const foundIn = (drawing: string): FoundRepetition => findRepetition(buildGraph(traceOf(drawing)));

/** Rounds of 100 µs: a head, `layers` equal layers, and what `tail` adds at an instant. */
const rounds = (count: number, tail: (at: number) => string, layers = 4): string =>
  Array.from({ length: count }, (_, i) => {
    const at = 100 * i;
    const body = Array.from(
      { length: layers },
      (_, layer) => `aten::mm@${at + 10 + 10 * layer}+5 aten::relu@${at + 16 + 10 * layer}+3`,
    );
    return `aten::embedding@${at}+5 ${body.join(' ')} ${tail(at + 90)}`;
  }).join(' ');
const sync = (at: number): string => `cudaDeviceSynchronize#${at}@${at}+5`;

describe('drawn', () => {
  test('rounds, not the layers within them', () => {
    const found = foundIn(`cpu 1 | ${rounds(4, sync)}`);
    expect(found.ok && found.value).toMatchObject({
      anchor: 'aten::embedding',
      alike: 1,
      confidence: 'medium',
      isCut: false,
    });
    expect(found.ok && found.value.windows.map(({ start, end }) => (end - start) / 1000)).toEqual([100, 100, 100, 95]);
  });
  test('an optimizer in each round makes it sure', () => {
    const found = foundIn(
      `cpu 1 | ${rounds(3, sync)}\nann 1 | ${[0, 1, 2].map((i) => `Optimizer.step#SGD.step@${100 * i + 80}+5`).join(' ')}`,
    );
    expect(found.ok && found.value.confidence).toBe('high');
  });
  test('equal layers of one pass are no steps', () => {
    const layers = Array.from({ length: 12 }, (_, i) => `aten::mm@${10 * i}+5 aten::relu@${10 * i + 6}+3`).join(' ');
    const found = foundIn(`cpu 1 | ${layers}`);
    expect(found).toEqual({
      ok: false,
      reason: expect.stringContaining('they may be equal layers of one pass') as string,
    });
  });
  test('nor where each layer waits for the device, if one call of a module holds them all', () => {
    const layers = Array.from({ length: 6 }, (_, i) => `aten::mm@${20 * i}+5 ${sync(20 * i + 6)}`).join(' ');
    expect(foundIn(`cpu 1 | ${layers}`).ok).toBe(true);
    expect(foundIn(`py 1 | nn.Module: Net_0@0+120\ncpu 1 | ${layers}`).ok).toBe(false);
  });
  test('two rounds are too few, unlike ones too', () => {
    expect(foundIn(`cpu 1 | ${rounds(2, sync)}`).ok).toBe(false);
    const unlike = `aten::a@0+10 aten::b@10+10 ${sync(20)} aten::a@30+10 aten::c@40+10 ${sync(50)} aten::a@60+10 aten::d@70+10 ${sync(80)}`;
    expect(foundIn(`cpu 1 | ${unlike}`).ok).toBe(false);
  });
  test('a last round that is cut is left out', () => {
    const found = foundIn(`cpu 1 | ${rounds(4, sync)} aten::embedding@400+5 aten::mm@410+5`);
    expect(found.ok && [found.value.windows.length, found.value.isCut]).toEqual([4, true]);
  });
  test('rounds must fill the thread', () => {
    const found = foundIn(`cpu 1 | ${rounds(4, sync)} aten::other@400+2000`);
    expect(found).toEqual({
      ok: false,
      reason: expect.stringMatching(/^aten::embedding comes back, but only in/) as string,
    });
  });
});

/** Each annotation of a step taken out: where there were three or more they are found again, elsewhere none is. */
test.each(realTraceFiles().filter((file) => !/dlrm.*[1-7]\.pt|kineto_|rank-1|bert_mi300/.test(file)))(
  'real: %s',
  (file) => {
    const document = JSON.parse(new TextDecoder().decode(realJson(file))) as { traceEvents: { name?: string }[] };
    const isStep = ({ name = '' }: { name?: string }): boolean => /ProfilerStep/.test(name);
    const count = new Set(document.traceEvents.filter(isStep).map(({ name }) => name)).size;
    document.traceEvents = document.traceEvents.filter((event) => !isStep(event));
    const found = findRepetition(buildGraph(readBytes(new TextEncoder().encode(JSON.stringify(document)), file)));
    expect(found.ok ? found.value.windows.length : 0).toBe(count >= 3 ? count : 0);
    if (!found.ok) return;
    // Empty for the trace of 2021, whose steps are ops.
    const steps = findSteps(realGraph(file));
    if (steps.length === 0) return;
    found.value.windows.slice(1).forEach(({ start, end }, i) => {
      const wall = steps[i + 1].completion - steps[i].completion;
      expect(Math.abs(end - start - wall)).toBeLessThan(0.01 * wall);
    });
  },
);
