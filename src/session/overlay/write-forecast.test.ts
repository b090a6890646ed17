import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { jsonOf } from '../../test-kit/draw.ts';
import { realTrace } from '../../test-kit/traces.ts';
import { openSession } from '../session.ts';
import { writeForecast } from './write-forecast.ts';

interface Row {
  readonly ph: string;
  readonly name: string;
  readonly pid: number | string;
  readonly tid: number | string;
  readonly ts: number;
  readonly dur: number;
  readonly args?: { readonly name?: string; readonly measured?: string };
}

const folder = mkdtempSync(join(tmpdir(), 'longpole-forecast-'));
afterAll(() => rmSync(folder, { recursive: true }));

function parse(file: string): { traceEvents: Row[] } {
  const bytes = readFileSync(file);
  return JSON.parse((bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString()) as { traceEvents: Row[] };
}

async function forecast(from: string, name: string): Promise<{ to: string; count: number }> {
  const opened = await openSession(from, {});
  if (!opened.ok) throw new Error(opened.error.message);
  const select = { by: 'kind', text: 'kernel', isPattern: false } as const;
  const change = { kind: 'scale', select, factor: 0.5 } as const;
  const outcome = opened.value.run('what-if', {
    window: { kind: 'default' },
    changes: [{ text: 'half', change }],
    force: true,
    timeline: true,
  });
  if (outcome.status !== 'ok' || outcome.result.status !== 'predicted') throw new Error('no prediction');
  const to = join(folder, name);
  return { to, count: await writeForecast(opened.value.trace, outcome.result.timeline ?? [], { from, to }) };
}

test('measured rows stay as they are; re-simulated ones stand beside them, in processes of their own', async () => {
  const from = join(folder, 'trace.json');
  writeFileSync(
    from,
    jsonOf(`
      cpu 1   | cudaLaunchKernel#1@0+2 cudaLaunchKernel#2@2+2 cudaDeviceSynchronize#3@4+60
      gpu 0.7 | gemm#1@6+30            relu#2@38+22
      sync 0  | ContextSync#3@4+60
    `),
  );
  const { to, count } = await forecast(from, 'out.json');
  const before = parse(from).traceEvents;
  const after = parse(to).traceEvents;
  expect(after.slice(0, before.length)).toEqual(before);
  const added = after.slice(before.length);
  const slices = added.filter(({ ph }) => ph === 'X');
  expect(slices).toHaveLength(count);
  const known = new Set(before.map(({ pid }) => pid));
  for (const { pid } of added) expect(known.has(pid)).toBe(false);
  expect(added.filter(({ name }) => name === 'process_name').map(({ args }) => args?.name)).toEqual(
    expect.arrayContaining([expect.stringMatching(/^what-if: /)]),
  );
  const gemm = before.find(({ name }) => name === 'gemm');
  const [half, next] = ['gemm', 'relu'].map((wanted) => slices.find(({ name }) => name === wanted));
  expect(half).toMatchObject({ ts: gemm?.ts, dur: 15, args: { measured: `e-${before.indexOf(gemm as Row)}` } });
  // relu begins 2 µs after it, as measured.
  expect((next?.ts ?? 0) - (half?.ts ?? 0)).toBeCloseTo(17, 3);
  expect(next?.dur).toBe(11);
});

test.each(['sync/alexnet.json.gz', 'diff/bert_mi300.json.gz'])('%s', async (file) => {
  const from = realTrace(file);
  const { to, count } = await forecast(from, 'real.json.gz');
  const before = parse(from).traceEvents;
  const after = parse(to).traceEvents;
  expect(after.slice(0, before.length)).toEqual(before);
  expect(after.slice(before.length).filter(({ ph }) => ph === 'X')).toHaveLength(count);
  expect(count).toBeGreaterThan(100);
});
