import { readFileSync } from 'node:fs';
import { createContext, runInContext } from 'node:vm';
import ts from 'typescript';
import { expect, test } from 'vitest';

const at = (path: string): URL => new URL(`../../${path}`, import.meta.url);
const bundle = readFileSync(at('dist/engine.js'), 'utf8');

test('dist/engine.js imports nothing', () => {
  expect(ts.preProcessFile(bundle, true, true).importedFiles).toEqual([]);
});

test('dist/engine.js answers with no more globals than a worker has, too', async () => {
  const script = bundle.replace(
    /\nexport \{([^}]*)\};\s*(\/\/.*)?$/,
    (_, names: string) => `\nglobalThis.engine = {${names}};`,
  );
  const context = createContext({ TextDecoder, TextEncoder, performance, DecompressionStream });
  runInContext(script, context);
  context['file'] = readFileSync(at('examples/three-steps.json.gz'));
  const answer = (await runInContext(
    `engine.readTrace(new Uint8Array(file)).then((read) => JSON.stringify(engine.report(engine.unwrap(read))))`,
    context,
  )) as string;
  expect(JSON.parse(answer)).toMatchObject({ status: 'ok', result: { verdict: { unit: 'step', count: 3 } } });
});
