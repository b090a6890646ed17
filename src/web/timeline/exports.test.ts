import { expect, test } from 'vitest';
import { sampleTimeline } from '../../test-kit/sample-timeline.ts';
import { chromeTrace } from './chrome-trace.ts';
import { csvOf } from './csv.ts';
import { SvgPen, escapeXml } from './pen.ts';
import { mixed } from './shades.ts';

test('a table as CSV: exact numbers, quoted texts, and no text that a spreadsheet would run', () => {
  expect(
    csvOf(
      ['name', 'time (ns)'],
      [
        ['a,b', 12_345_678],
        ['say "x"\n', -5],
        [undefined, 0.25],
      ],
    ),
  ).toBe('name,time (ns)\r\n"a,b",12345678\r\n"say ""x""\n",-5\r\n,0.25\r\n');
  for (const formula of ['=1+1', '+cmd', '-2', '@SUM(A1)', '\t=1', '\r=1']) {
    const [, cell = ''] = csvOf(['n'], [[formula]]).split(/\r\n/);
    expect(cell.replace(/^"/, '')).toMatch(/^'/);
  }
});

test('texts in a picture are texts, whatever they hold', () => {
  expect(escapeXml(`<script a='1'>&"\u0000\ud800\u001b`)).toBe(
    '&lt;script a=&#39;1&#39;&gt;&amp;&quot;\ufffd\ufffd\ufffd',
  );
  const pen = new SvgPen();
  pen.fillStyle = '"><script>';
  pen.fillText('</text><script>alert(1)</script>', 1, 2);
  const svg = pen.toText(10, 10, '</title><script>');
  expect(svg).not.toContain('<script');
  expect(svg.match(/<text /g)).toHaveLength(1);
});

test('a picture has what was drawn, moved and rounded', () => {
  const pen = new SvgPen();
  pen.translate(100, 10);
  pen.fillStyle = '#123456';
  pen.globalAlpha = 0.5;
  pen.fillRect(1.23456, 2, 3, 4);
  pen.beginPath();
  pen.moveTo(0, 0);
  pen.bezierCurveTo(1, 1, 2, 2, 3, 3);
  pen.setLineDash([4, 3]);
  pen.stroke();
  expect(pen.toText(200, 100, 't')).toContain(
    '<rect x="101.23" y="12" width="3" height="4" fill="#123456" opacity="0.5"/>\n<path d="M100 10C101 11 102 12 103 13" fill="none" stroke="#000" stroke-width="1" stroke-dasharray="4 3" opacity="0.5" stroke-linejoin="round"/>',
  );
});

const rowsOf = (json: string): { ph: string; name: string; ts: number; dur: number; pid: number }[] =>
  (JSON.parse(json) as { traceEvents: { ph: string; name: string; ts: number; dur: number; pid: number }[] })
    .traceEvents;

test('what is in view as a trace: whole events in µs, and the path', () => {
  const timeline = sampleTimeline(
    [
      [
        [0, 1_500],
        [2_000, 2_001],
        [9_000, 9_500],
      ],
    ],
    { path: [0, 1] },
  );
  const range = { start: 1_000, end: 3_000, lanes: [0], nameOf: (e: number) => `n"${e}`, eventAt: (p: number) => p };
  const { json, events, leftOut } = chromeTrace(timeline, range);
  expect([events, leftOut]).toEqual([2, 0]);
  expect(
    rowsOf(json)
      .filter(({ ph }) => ph === 'X')
      .map(({ pid, name, ts, dur }) => [pid, name, ts, dur]),
  ).toEqual([
    [1, 'n"0', 0, 1.5],
    [1, 'n"1', 2, 0.001],
    [2, 'n"0', 0, 1.5],
    [2, 'n"1', 2, 0.001],
  ]);
});

test('of too many events the longest are kept, and the others counted', () => {
  const timeline = sampleTimeline([
    [
      [0, 10],
      [20, 21],
      [30, 60],
    ],
  ]);
  const range = { start: 0, end: 100, lanes: [0], nameOf: String, eventAt: (p: number) => p };
  const { json, events, leftOut } = chromeTrace(timeline, range, 2);
  expect([events, leftOut]).toEqual([2, 1]);
  expect(
    rowsOf(json)
      .filter(({ ph }) => ph === 'X')
      .map(({ name }) => name),
  ).toEqual(['2', '0']);
});

test('colours are mixed', () => {
  expect(mixed('#000000', '#ffffff', 0.5)).toBe('#808080');
  expect(mixed('#102030', '#ffffff', 1)).toBe('#102030');
  expect(mixed('red', '#ffffff', 0.5)).toBe('red');
});
