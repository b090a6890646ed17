import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectGolden } from '../../test-kit/golden.ts';
import { hostileText, SAMPLE } from '../../test-kit/report-sample.ts';
import type { ReportDocument, ReportHeat } from './document.ts';
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

describe('a heat map', () => {
  const HEAT: ReportHeat = {
    rows: ['rank 0', 'rank 1'],
    columns: ['one', 'two', 'three'].map((label) => ({ label, title: `call ${label}` })),
    values: [
      [0, 1_400_000, undefined],
      [49_000, 50_000, 1_000_000],
    ],
    none: 'not in the call',
    says: 'waited',
    axis: 'calls',
    caption: 'How to read it',
    summary: 'The longest is 1.400 ms',
  };
  const pageOf = (heat: ReportHeat): string =>
    renderHtml({ ...SAMPLE, sections: [{ id: 'heat', heading: 'Heat', paragraphs: [], heat }] }, ASSETS);

  test('has each value in its row and column, in the colour of its class, and none where there is none', () => {
    const cells = [...pageOf(HEAT).matchAll(/<path class="h(\d)" d="M(\d) (\d)h1v1h-1z"><title>(.*?)<\/title>/g)];
    expect(cells.map(([, colour, x, y, title]) => [x, y, colour, title])).toEqual([
      ['0', '0', '0', 'rank 0, call one: waited 0 ns'],
      ['1', '0', '6', 'rank 0, call two: waited 1.400 ms'],
      ['0', '1', '1', 'rank 1, call one: waited 49.0 µs'],
      ['1', '1', '2', 'rank 1, call two: waited 50.0 µs'],
      ['2', '1', '6', 'rank 1, call three: waited 1.000 ms'],
    ]);
  });

  test('says in its legend what the colours are, and in words what it shows, without a script', () => {
    const page = pageOf(HEAT);
    const legend = [...page.matchAll(/<li><svg viewBox.*?<rect (.*?) width="12".*?<\/svg>(.*?)<\/li>/g)];
    expect(legend.map(([, fill, words]) => [fill, words])).toEqual([
      ['class="h0"', 'below 20 µs'],
      ['class="h1"', '20 µs to 50 µs'],
      ['class="h2"', '50 µs to 100 µs'],
      ['class="h3"', '100 µs to 200 µs'],
      ['class="h4"', '200 µs to 500 µs'],
      ['class="h5"', '500 µs to 1 ms'],
      ['class="h6"', '1 ms or more'],
      ['fill="url(#chart-heat-hatch)"', 'not in the call'],
    ]);
    expect(page).toContain('<pattern id="chart-heat-hatch"');
    expect(page).toContain('<svg role="img" aria-label="The longest is 1.400 ms"');
    expect(page).not.toContain(' style="');
  });

  test('has no class for what none is, where all have a value', () => {
    expect(
      pageOf({
        ...HEAT,
        values: [
          [1, 2, 3],
          [4, 5, 6],
        ],
      }),
    ).not.toContain('not in the call');
  });
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
        heat: {
          rows: [a],
          columns: [{ label: b, title: c }],
          values: [[1]],
          none: a,
          says: b,
          axis: c,
          caption: a,
          summary: b,
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
