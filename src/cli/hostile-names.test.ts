/** Names come from a file that anybody may have written: no answer may steer a terminal with them, or break its own form. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { ANALYSES, COMPOSITIONS } from '../analyses/registry.ts';
import type { Outcome, RenderOptions } from '../analyses/contract.ts';
import { textWidth } from '../base/format.ts';
import { createSession } from '../session/session.ts';
import { readJson } from '../test-kit/draw.ts';
import type { Trace } from '../trace/trace.ts';

interface Row {
  name: string;
  cat?: string;
  args?: Record<string, unknown>;
}

const EXAMPLE = JSON.parse(
  gunzipSync(readFileSync(fileURLToPath(new URL('../../examples/three-steps.json.gz', import.meta.url)))).toString(),
) as { traceEvents: Row[] } & Record<string, unknown>;

const NAMED = new Set(['kernel', 'cpu_op', 'user_annotation', 'gpu_user_annotation', 'python_function', 'gpu_memcpy']);
const KNOWN = /^(ProfilerStep#|record_param_comms)/;

/** The example with all names and texts changed; what longpole knows by its name stays. */
function traceWith(change: (text: string) => string): Trace {
  const traceEvents = EXAMPLE.traceEvents.map((row) => {
    if (!NAMED.has(row.cat ?? '') || KNOWN.test(row.name)) return row;
    const args = Object.entries(row.args ?? {}).map(([key, value]) => [
      key,
      typeof value === 'string' && key !== 'Collective name' ? change(value) : value,
    ]);
    return { ...row, name: change(row.name), args: { ...Object.fromEntries(args), 'Input Dims': change('[[1]]') } };
  });
  const deviceProperties = [{ id: 0, name: change('GPU') }];
  // A line that a person copies is as long as the name of the file.
  const file = change('trace.json');
  return readJson(
    JSON.stringify({ ...EXAMPLE, deviceProperties, traceEvents }),
    file.length < 60 ? file : 'trace.json',
  );
}

const LONG = 10_000;
const CHANGES: Readonly<Record<string, (text: string) => string>> = {
  'escape sequences': (text) => `\u001b[31m${text}\u001b[2J\u0007\u009b1m`,
  'line breaks': (text) => `${text}\n\r\u2028note: nothing to see\t`,
  'marks that turn the direction of writing': (text) => `\u202e${text}\u2066\u200f\u061c`,
  'ten thousand characters': (text) => `${text}<${'a::b<'.repeat(LONG / 5)}`,
  'no blank in ten thousand characters that differ in the middle': (text) =>
    `${'x'.repeat(LONG / 2)}${text}${'y'.repeat(LONG / 2)}`,
  'ideographs and combining marks': (text) => `${'漢字e\u0301\u0302'.repeat(40)}${text}`,
  nothing: () => '',
};

const PLAIN: RenderOptions = { limit: 30, fullNames: false, style: (_, text) => text };
// oxlint-disable-next-line no-control-regex
const STEERS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

function textsOf(trace: Trace, options: RenderOptions): string[] {
  const session = createSession(trace);
  const window = { kind: 'default' } as const;
  const texts: string[] = [];
  const add = <T>(name: string, outcome: Outcome<T>, render: (result: T, options: RenderOptions) => string): void => {
    texts.push(outcome.status === 'ok' ? render(outcome.result, options) : `${name}: ${outcome.reason}\n`);
  };
  const windowed = [
    'breakdown',
    'idle',
    'kernels',
    'communication',
    'launches',
    'counters',
    'annotations',
    'steps',
    'ops',
  ] as const;
  for (const id of windowed) {
    const analysis = ANALYSES[id] as { renderText: (result: unknown, options: RenderOptions) => string };
    add(id, session.run(id, { ...ANALYSES[id].defaults, window } as never) as Outcome<unknown>, analysis.renderText);
  }
  for (const more of [
    { by: 'shape' },
    { by: 'python' },
    { tree: 'top-down' },
    { tree: 'bottom-up' },
    { sequences: true },
  ] as const) {
    add('ops', session.run('ops', { ...ANALYSES.ops.defaults, window, ...more }), ANALYSES.ops.renderText);
  }
  add('path', session.run('critical-path', { window, slack: true }), ANALYSES['critical-path'].renderText);
  add('sync', session.run('sync', {}), ANALYSES.sync.renderText);
  add('info', session.run('info', { exact: true }), ANALYSES.info.renderText);
  const event = { kind: 'position', position: 2105 } as const;
  add('explain', session.run('explain', { event, links: 12 }), ANALYSES.explain.renderText);
  add('report', session.report({ window }).outcome, COMPOSITIONS.report.renderText);
  return texts;
}

describe.each(Object.entries(CHANGES))('%s', (_, change) => {
  const trace = traceWith(change);
  test('neither steer a terminal nor break the table', () => {
    for (const text of textsOf(trace, PLAIN)) {
      expect(STEERS.exec(text)?.[0]).toBeUndefined();
      expect(/\b(NaN|undefined)\b/.exec(text)?.[0]).toBeUndefined();
      for (const line of text.split('\n')) expect(textWidth(line), line.slice(0, 120)).toBeLessThanOrEqual(100);
    }
  });
  test('not even where names are printed whole', () => {
    for (const text of textsOf(trace, { ...PLAIN, fullNames: true })) expect(STEERS.exec(text)?.[0]).toBeUndefined();
  });
});
