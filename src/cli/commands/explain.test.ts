import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { jsonOf } from '../../test-kit/draw.ts';
import { run } from './explain.ts';

const folder = mkdtempSync(join(tmpdir(), 'longpole-explain-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const trace = join(folder, 'trace.json');
writeFileSync(
  trace,
  jsonOf(`
    cpu 1   | cudaLaunchKernel#1@5+5
    gpu 0.7 | gemm#1@15+30`),
);

describe('an event that there cannot be', () => {
  test.each([
    [[], /^explain needs a trace and an event; for example: longpole explain trace.json.gz e-123$/],
    [[trace], /^explain needs a trace and an event/],
    [[trace, 'k-12'], /^'k-12' is no event: give its handle e-123, or corr:1411/],
    [[trace, 'e-'], /^'e-' is no event/],
    [[trace, ''], /^'' is no event/],
    [[trace, 'e-99'], /^trace.json: no event e-99; its events are e-0 to e-\d+$/],
    [[trace, '99'], /^trace.json: no event e-99/],
    [[trace, 'corr:99'], /^trace.json: no event has correlation 99$/],
    [[trace, 'r-3/e-0'], /^trace.json is rank 0, not rank 3$/],
    [['no-such.json', 'e-0'], /no such file/],
  ])('%j', async (args, message) => {
    await expect(run(args, {})).rejects.toThrow(message);
  });
});
