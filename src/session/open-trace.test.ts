import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { info } from '../library/questions.ts';
import { unwrap } from '../library/unwrap.ts';
import { openTrace } from './open-trace.ts';

const example = fileURLToPath(new URL('../../examples/three-steps.json.gz', import.meta.url));

test('a file is opened, under the name that it is given', async () => {
  const trace = unwrap(await openTrace(example, { file: 'example' }));
  expect(trace).toMatchObject({ file: 'example', rank: 0, diagnostics: [] });
  expect(unwrap(info(trace)).ranks[0]).toMatchObject({ file: 'example', events: trace.eventCount });
});

test('a file that is not there is a result', async () => {
  const opened = await openTrace('/no/such/trace.json');
  expect(opened).toEqual({ ok: false, error: { code: 'not-found', message: 'no such file' } });
  expect(() => unwrap(opened)).toThrow('no such file');
});
