import { expect, test } from 'vitest';
import { ANALYSES } from '../analyses/registry.ts';
import { createSession } from '../library/session.ts';
import { traceOf } from '../test-kit/draw.ts';
import { createAnswers } from './answers.ts';

const DRAWING = 'cpu 1 | mm@2+8 cudaLaunchKernel#1@4+5\ngpu 0.7 | gemm#1@15+30';

function answersOf(rest: () => Promise<void>) {
  return createAnswers(createSession(traceOf(DRAWING)), {
    path: ANALYSES['critical-path'].defaults,
    rows: { kind: 'none', why: 'it is a drawing' },
    rest,
  });
}

test('a question that comes while the overview is made is answered before it', async () => {
  const order: string[] = [];
  const answers = answersOf(() => new Promise((resolve) => setImmediate(resolve)));
  await Promise.all([
    answers.ask('overview', {}).then(() => order.push('overview')),
    new Promise(setImmediate).then(async () => {
      await answers.ask('explain', { event: 2 });
      order.push('explain');
    }),
  ]);
  expect(order).toEqual(['explain', 'overview']);
});

test('the overview is made once, however often it is asked for', async () => {
  let rests = 0;
  const answers = answersOf(() => Promise.resolve(void rests++));
  const [first, second] = await Promise.all([answers.ask('overview', {}), answers.ask('overview', {})]);
  const once = rests;
  expect(once).toBeGreaterThan(5);
  const third = await answers.ask('overview', {});
  expect(rests).toBe(once);
  expect(second).toEqual(first);
  expect(third).toEqual(first);
});

test.each([undefined, {}, { event: -1 }, { event: 1.5 }, { event: '2' }, { event: 99 }])(
  '%j is no event',
  async (ask) => {
    const answers = answersOf(() => Promise.resolve());
    expect(await answers.ask('explain', ask)).toEqual({ ok: false, error: 'no such event' });
    expect(await answers.ask('event', ask)).toEqual({ ok: false, error: 'no such event' });
  },
);
