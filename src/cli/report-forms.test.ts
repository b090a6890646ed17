/** `report --markdown` and `report --html`. The page is of the built program, beside which its script lies: `npm test` builds it first. */
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { jsonOf } from '../test-kit/draw.ts';
import { type Ended, runBuilt } from '../test-kit/run-built.ts';
import { runIn } from '../test-kit/run-in-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'longpole-forms-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const TRACE = jsonOf(`
  ann 1    | ProfilerStep#5@0+100 ProfilerStep#6@100+100
  cpu 1    | cudaLaunchKernel#1@5+5 cudaStreamSynchronize#3@12+86 cudaLaunchKernel#2@105+5 cudaStreamSynchronize#4@112+86
  gpu 0.7  | gemm#1@15+80 gemm#2@115+70
  sync 0   | StreamSync#3@12+86{stream=7} StreamSync#4@112+86{stream=7}
`).replaceAll('gemm', '</script><script>alert(1)</script>@someone');
writeFileSync(join(folder, 'trace.json'), TRACE);
writeFileSync(join(folder, 'no-events.json'), '{"traceEvents": []}');
writeFileSync(join(folder, 'damaged.json'), TRACE.replace(/"dur": ?80\b/, '"dur":-80'));

const longpole = (...args: readonly string[]) => runIn(folder, args);
/** As a process. */
const built = (...args: readonly string[]) => runBuilt(folder, args);

let page: Ended;
beforeAll(async () => {
  page = await built('trace.json', '--html', '-');
});

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64');

describe('--html', () => {
  test('writes one file, whole, and says so', async () => {
    const { code, stdout, stderr } = await built('trace.json', '--html', 'page.html');
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toMatch(/^wrote page\.html: \d+\.\d KiB, one file that needs no network\n$/);
    expect(readdirSync(folder).filter((name) => name.includes('unfinished'))).toEqual([]);
    expect(page.stdout).toBe(readFileSync(join(folder, 'page.html'), 'utf8'));
  });

  test('its policy names its own script and style', () => {
    const { stdout: text } = page;
    const [, policy = ''] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(text) ?? [];
    const styles = [...text.matchAll(/<style [^>]*>([^]*?)<\/style>/g)].map(([, style = '']) => sha256(style));
    const scripts = [...text.matchAll(/<script>([^]*?)<\/script>/g)].map(([, script = '']) => script);
    expect(scripts).toHaveLength(1);
    expect(policy).toBe(
      `default-src 'none'; script-src 'sha256-${sha256(scripts[0] ?? '')}' 'wasm-unsafe-eval'; style-src 'sha256-${styles[0]}' 'sha256-${styles[1]}'; worker-src blob:; base-uri 'none'; form-action 'none'`,
    );
  });

  test('names no address but the names of XML, and where a person may open a part of it', () => {
    const { stdout: text } = page;
    const addresses = new Set(text.match(/\b(?:https?|wss?|ftp):\/\/[^\s"'`)]*/g));
    expect([...addresses].filter((address) => !address.startsWith('http://www.w3.org/'))).toEqual([
      'https://ui.perfetto.dev',
    ]);
    const markup = text.replace(/<script>[^]*?<\/script>/g, '');
    expect(markup).not.toMatch(/<(?:link|img|iframe|object|embed|base)\b|@import|url\(|\bsrc="|sourceMappingURL/);
  });

  test('is small', () => {
    const { stdout: text } = page;
    expect(text.length).toBeLessThan(800_000);
  });

  test('the trace itself is not overwritten, not even by another name', async () => {
    symlinkSync('trace.json', join(folder, 'link.html'));
    for (const to of ['trace.json', './trace.json', 'link.html']) {
      expect(await longpole('trace.json', '--html', to)).toMatchObject({
        code: 2,
        stderr: `longpole: --html ${to} is the trace itself, which must not be overwritten; name another file\n`,
      });
    }
    expect(readFileSync(join(folder, 'trace.json'), 'utf8')).toBe(TRACE);
  });

  test.each([
    [['--html', 'absent/page.html'], '--html absent/page.html: no such folder: absent'],
    [['--html', '.'], '--html .: a folder; name a file in it'],
    [['--html', ''], '--html is empty; name a file, for example --html report.html'],
    [['--max-size', '5MB'], '--max-size is the size of the page that --html FILE writes; give both'],
    [['--html', 'x.html', '--max-size', '5'], "--max-size '5' is no size with its unit; for example --max-size 2GiB"],
    [['--html', 'x.html', '--json'], '--json and --html are different forms of one answer; give one of them'],
    [['--markdown', '--json'], '--json and --markdown are different forms of one answer; give one of them'],
    [['--markdown', '--html', '-'], '--markdown and --html are different forms of one answer; give one of them'],
  ])('%j is refused', async (args, message) => {
    expect(await longpole('trace.json', ...args)).toEqual({ code: 2, stdout: '', stderr: `longpole: ${message}\n` });
  });
});

describe('--markdown', () => {
  test('is printed, with the verdict first', async () => {
    const { code, stdout, stderr } = await longpole('trace.json', '--markdown', '--full-names');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^### longpole: `trace\.json`\n\n\*\*.*\*\*\n/);
    expect(stdout).toContain('&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;@<span></span>someone');
  });

  test('says what is damaged', async () => {
    expect((await longpole('damaged.json', '--markdown')).stdout).toContain('1 negative-duration');
  });
});

test.each(['--markdown', '--html'])('%s of a trace that has no answer says why', async (form) => {
  const args = form === '--html' ? [form, '-'] : [form];
  const { code, stdout, stderr } = await built('no-events.json', ...args);
  expect({ code, stderr }).toEqual({ code: 3, stderr: 'longpole: no-events.json: report does not apply: no events\n' });
  expect(stdout).toContain('No answer: no events.');
});
