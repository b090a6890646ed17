import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectGolden } from '../../test-kit/golden.ts';
import { hostileText, SAMPLE } from '../../test-kit/report-sample.ts';
import type { ReportDocument } from './document.ts';
import { type PageAssets, renderHtml } from './render-html.ts';

const ASSETS: PageAssets = {
  script: 'draw()',
  style: 'body { margin: 0 }',
  scriptHash: 'c2NyaXB0',
  styleHash: 'c3R5bGU=',
};

test('a page', () => expectGolden(import.meta.url, 'golden/page.html', renderHtml(SAMPLE, ASSETS)));

test('it may run its own script and style and load nothing', () => {
  const [, policy] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(renderHtml(SAMPLE, ASSETS)) ?? [];
  expect(policy?.split('; ')).toEqual([
    "default-src 'none'",
    "script-src 'sha256-c2NyaXB0'",
    "style-src 'sha256-c3R5bGU='",
    "base-uri 'none'",
    "form-action 'none'",
  ]);
});

test('each table has a caption, and each of its cells a head', () => {
  const page = renderHtml(SAMPLE, ASSETS);
  const tables = page.match(/<table>[^]*?<\/table>/g) ?? [];
  expect(tables).toHaveLength(3);
  for (const table of tables) {
    expect(table).toMatch(/<caption(?: class="unseen")?>[^<]+<\/caption>/);
    const [head = '', ...rows] = table.match(/<tr>.*?<\/tr>/g) ?? [];
    expect(head).toMatch(/^<tr>(?:<th scope="col"[^]*?<\/th>)+<\/tr>$/);
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) expect(row).toMatch(/^<tr><th scope="row"/);
  }
});

test('a chart says where its numbers are, and they are there without the script', () => {
  const page = renderHtml(SAMPLE, ASSETS);
  expect(page).toContain(
    '<figure id="chart-kernels-2" role="img" aria-label="Chart: A chart by itself. Its numbers are in the table below."></figure>',
  );
  expect(page).toContain('<caption>A chart by itself: the numbers of the chart</caption>');
});

test('anchors are unique and never those of the page itself', () => {
  const section = { heading: 'H', paragraphs: [] };
  const sections = ['notes', 'charts', 'same', 'same', 'A "b"'].map((id) => ({ id, ...section }));
  const page = renderHtml({ ...SAMPLE, sections }, ASSETS);
  const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
  expect(ids).toEqual(['notes-2', 'charts-2', 'same', 'same-2', 'a-b-', 'notes', 'charts']);
});

test('a script that would end its element is a bug', () => {
  expect(() => renderHtml(SAMPLE, { ...ASSETS, script: 'x = "</script>"' })).toThrow(/would end too early/);
});

describe('hostile texts', () => {
  const hostileDocument = (a: string, b: string, c: string): ReportDocument => ({
    title: a,
    about: [b],
    verdict: [a, { code: b }, c],
    sections: [
      {
        id: 'one',
        heading: c,
        paragraphs: [a, [{ code: b }, c]],
        chart: { kind: 'bars', unit: 'ns', parts: [a, b], rows: [{ label: c, values: [1, 2] }] },
        table: {
          columns: [
            { name: a, unit: 'text' },
            { name: b, unit: 'name' },
          ],
          rows: [[b, c]],
          total: 2,
        },
        command: a,
      },
    ],
    notes: [c],
  });
  /** Tags, their attributes' values left out. */
  const markupOf = (page: string): string[] =>
    (page.match(/<[^>]*>/g) ?? []).map((tag) => tag.replace(/="[^"]*"/g, '=""'));

  test('make no element, no attribute, and no end of a script', () => {
    const plain = markupOf(renderHtml(hostileDocument('a', 'b', 'c'), ASSETS));
    fc.assert(
      fc.property(hostileText, hostileText, hostileText, (a, b, c) => {
        const page = renderHtml(hostileDocument(a, b, c), ASSETS);
        expect(markupOf(page)).toEqual(plain);
        // oxlint-disable-next-line no-control-regex
        expect(page).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e]/);
        const [, data = ''] = /<script type="application\/json" id="charts">([^<]*)<\/script>/.exec(page) ?? [];
        expect(JSON.parse(data)).toMatchObject([{ id: 'chart-one', rows: [{ values: [1, 2] }] }]);
      }),
      { numRuns: 300 },
    );
  });
});
