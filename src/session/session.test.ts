import { expect, test } from 'vitest';
import { readJson, traceOf } from '../test-kit/draw.ts';
import { createSession } from './session.ts';

const trace = () => traceOf('cpu 1 | cudaLaunchKernel#1@0+5\ngpu 0.7 | gemm#1@10+30');

test('an answer is computed once for the same options', () => {
  const session = createSession(trace());
  expect(session.run('critical-path')).toBe(
    session.run('critical-path', { window: { kind: 'default' }, exact: false }),
  );
  expect(session.run('critical-path')).not.toBe(
    session.run('critical-path', { window: { kind: 'default' }, exact: true }),
  );
});

test('without events only info applies', () => {
  const session = createSession(readJson('[]'));
  expect(session.run('info').status).toBe('ok');
  expect(session.run('sync')).toEqual({ status: 'not-applicable', reason: 'no events' });
  expect(session.run('critical-path')).toEqual({ status: 'not-applicable', reason: 'no events' });
});
