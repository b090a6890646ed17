import { expect, test } from 'vitest';
import { createSession } from '../../session/session.ts';
import { jsonOf, readJson, traceOf } from '../../test-kit/draw.ts';
import { expectGolden } from '../../test-kit/golden.ts';
import type { RenderOptions } from '../contract.ts';
import { renderInfo } from './render-text.ts';
import type { InfoResult } from './result.ts';

const PLAIN: RenderOptions = { limit: 20, fullNames: false, style: (_, text) => text };

function infoOf(...args: Parameters<typeof traceOf>): InfoResult {
  const outcome = createSession(traceOf(...args)).run('info');
  if (outcome.status !== 'ok') throw new Error(outcome.reason);
  return outcome.result;
}

const DRAWING = `
  ann 1    | ProfilerStep#5@0+100 ProfilerStep#6@100+100
  cpu 1    | cudaLaunchKernel#1@10+5 cudaLaunchKernel#2@110+5
  cpu 2    | aten::mm@150+30
  py 3     | train.py(12): step@0+900
  gpu 0.7  | gemm#1@20+50
  gpu 1.7  | gemm#2@120+90
`;

test('counts what is in the file', () => {
  const { ranks, diagnostics } = infoOf(DRAWING);
  const [rank] = ranks;
  expect(rank).toMatchObject({
    spanNs: 210_000,
    devices: [{ id: 0 }, { id: 1 }],
    streams: 2,
    threads: 2,
    steps: [
      { label: 'ProfilerStep#5', startNs: 0, endNs: 100_000, completionNs: 100_000, complete: true },
      { label: 'ProfilerStep#6', startNs: 100_000, endNs: 200_000, completionNs: 210_000, complete: true },
    ],
  });
  expect(rank?.categories).toMatchObject({
    cuda_runtime: 2,
    kernel: 2,
    cpu_op: 1,
    python_function: 1,
    user_annotation: 2,
  });
  expect(Object.values(rank?.byPhase ?? {}).reduce((sum, count) => sum + count, 0)).toBe(rank?.events);
  expect(diagnostics).toEqual([]);
});

test('says what limits the other answers', () => {
  expect(infoOf(DRAWING).ranks[0]?.notes).toEqual([
    'no synchronisation rows: which stream waited for which is not in this trace',
  ]);
  expect(infoOf('cpu 1 | aten::mm@0+10').ranks[0]?.notes).toEqual(['no device work: only host time can be explained']);
});

test('does not promise the host where the device rows are of no known category', () => {
  const json = jsonOf('cpu 1 | cudaLaunchKernel#1@0+10\ngpu 0.7 | gemm#1@20+10').replace(
    /"cat": ?"kernel"/,
    '"cat":"cuda_profiler_range"',
  );
  const session = createSession(readJson(json));
  expect(session.run('critical-path').status).toBe('not-applicable');
  expect(session.run('info')).toMatchObject({
    result: { ranks: [{ notes: ['no device work of a known category: what bounds this trace cannot be told'] }] },
  });
});

test('the span covers the annotations of the host', () =>
  expect(infoOf('ann 1 | ProfilerStep#5@0+100\ncpu 1 | aten::mm@40+10').ranks[0]?.spanNs).toBe(100_000));

test('applies to a trace without events', () => {
  const outcome = createSession(readJson('{"traceEvents": []}')).run('info');
  expect(outcome).toMatchObject({
    status: 'ok',
    result: { ranks: [{ events: 0, spanNs: 0, steps: [], notes: ['no events'] }] },
  });
});

test('a device that the file names lends its name to the one that was used', () => {
  const json = jsonOf(DRAWING).replace(
    '{',
    '{"deviceProperties": [{"id": 0, "name": "A100"}, {"id": 7, "name": "idle"}],',
  );
  const outcome = createSession(readJson(json)).run('info');
  expect(outcome).toMatchObject({ result: { ranks: [{ devices: [{ id: 0, name: 'A100' }, { id: 1 }] }] } });
});

test('the text', () => expectGolden(import.meta.url, 'golden/info.txt', renderInfo(infoOf(DRAWING), PLAIN)));

test('devices of one name stand together', () => {
  const [rank] = infoOf(DRAWING).ranks;
  const devices = [0, 1, 2, 3].map((id) => ({ id, name: 'A100' }));
  const textOf = (list: typeof devices) =>
    /devices +(.*)/.exec(
      renderInfo({ ranks: rank === undefined ? [] : [{ ...rank, devices: list }] } as never, PLAIN),
    )?.[1];
  expect(textOf(devices)).toBe('0 to 3 (A100)');
  expect(textOf([...devices.slice(0, 2), { id: 5, name: '' }])).toBe('0, 1 (A100), 5');
});
