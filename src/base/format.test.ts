import { describe, expect, test } from 'vitest';
import {
  escapeText,
  fitText,
  formatBar,
  formatBytes,
  formatCount,
  formatDur,
  formatInstant,
  formatPlural,
  fitTexts,
  formatRows,
  formatShare,
  padStart,
  textWidth,
  wrapText,
} from './format.ts';

test.each([
  [0, '0 ns'],
  [1, '1 ns'],
  [999, '999 ns'],
  [1_000, '1.000 µs'],
  [1_234, '1.234 µs'],
  [9_999, '9.999 µs'],
  [12_345, '12.3 µs'],
  [999_949, '999.9 µs'],
  [999_960, '1.000 ms'],
  [1_234_000, '1.234 ms'],
  [76_941_000, '76.9 ms'],
  [117_128_000, '117.1 ms'],
  [999_960_000, '1.000 s'],
  [61_000_000_000, '61.0 s'],
  [-8_900, '-8.900 µs'],
])('formatDur(%d) = %s', (ns, text) => expect(formatDur(ns)).toBe(text));

test.each([
  [0, '0 %'],
  [1, '100 %'],
  [0.613, '61.3 %'],
  [0.0001, '<0.1 %'],
  [0.99999, '>99.9 %'],
])('formatShare(%d) = %s', (share, text) => expect(formatShare(share)).toBe(text));
test('an instant', () => expect([0, 43_312_345_678].map(formatInstant)).toEqual(['0.000 ms', '43312.346 ms']));
test('a share without decimals', () =>
  expect([0.614, 0.001, 0.999].map((s) => formatShare(s, 0))).toEqual(['61 %', '<1 %', '>99 %']));

test('bytes, counts and plurals', () => {
  expect([0, 512, 1024, 54_000_000, 3 * 2 ** 40].map(formatBytes)).toEqual([
    '0 B',
    '512 B',
    '1.0 KiB',
    '51.5 MiB',
    '3.0 TiB',
  ]);
  expect([0, 12, 999, 1_000, 109_123, 1_234_567].map(formatCount)).toEqual([
    '0',
    '12',
    '999',
    '1,000',
    '109,123',
    '1,234,567',
  ]);
  expect([formatPlural(1, 'row'), formatPlural(2_000, 'row'), formatPlural(2, 'copy', 'copies')]).toEqual([
    '1 row',
    '2,000 rows',
    '2 copies',
  ]);
});

test('a bar is as long as its share, and never empty for what is not nothing', () => {
  expect(formatBar(1, 4)).toBe('████');
  expect(formatBar(0.5, 4)).toBe('██');
  expect(formatBar(0.28125, 4)).toBe('█▏');
  expect(formatBar(0.0001, 4)).toBe('▏');
  expect(formatBar(0, 4)).toBe('');
});

describe('escapeText', () => {
  test.each([
    ['plain ascii, Ωμέγα, 漢字, 🙂', 'plain ascii, Ωμέγα, 漢字, 🙂'],
    ['\u001b[31mred\u001b[0m', '\\x1b[31mred\\x1b[0m'],
    ['\u001b]0;title\u0007', '\\x1b]0;title\\x07'],
    ['two\nlines\r\tand a tab', 'two\\nlines\\r\\tand a tab'],
    ['\u009b2J', '\\x9b2J'],
    ['abc\u202etxt.exe', 'abc\\u202etxt.exe'],
    ['\u2066isolate\u2069', '\\u2066isolate\\u2069'],
    ['zero\u200bwidth\ufeff', 'zero\\u200bwidth\\ufeff'],
    ['half \ud800 pair', 'half \\ud800 pair'],
    ['tag \u{e0041}', 'tag \\u{e0041}'],
    ['\u0000\u007f', '\\x00\\x7f'],
  ])('%j', (text, safe) => expect(escapeText(text)).toBe(safe));
});

describe('width', () => {
  test('ideographs take two columns, combining marks none', () => {
    expect(textWidth('abc')).toBe(3);
    expect(textWidth('漢字')).toBe(4);
    expect(textWidth('e\u0301')).toBe(1);
    expect(padStart('漢', 4)).toBe('  漢');
  });
  test('a long text loses its middle', () => {
    expect(fitText('abcdefghij', 10)).toBe('abcdefghij');
    expect(fitText('abcdefghijk', 10)).toBe('abcde…hijk');
    expect(textWidth(fitText('漢'.repeat(50), 20))).toBeLessThanOrEqual(20);
    expect(fitText('ab'.repeat(5_000_000), 10)).toBe('ababa…abab');
  });
  test('words wrap, and no line is wider than asked', () => {
    expect(wrapText('one two three four', 9, 2)).toBe('one two\n  three\n  four');
    expect(wrapText(`a ${'x'.repeat(40)}`, 10)).toBe('a\nxxxxx…xxxx');
  });
});

test('rows of cells become equal columns', () => {
  expect(
    formatRows(
      [
        ['a', '1', 'x'],
        ['漢', '200', ''],
      ],
      '<><',
    ),
  ).toEqual(['a     1  x', '漢  200']);
});

test('columns that may shrink share what the others leave', () => {
  const rows = [['1', 'abcdefghijklmnop', 'qrstuvwxyzqrstuvwxyz']];
  expect(formatRows(rows, '>~~', 41)).toEqual(['1  abcdefghijklmnop  qrstuvwxyzqrstuvwxyz']);
  expect(formatRows(rows, '>~~', 25)).toEqual(['1  abcde…mnop  qrstu…wxyz']);
  expect(formatRows([['1', 'ab', 'qrstuvwxyzqrstuvwxyz']], '>~~', 25)).toEqual(['1  ab  qrstuvwxy…stuvwxyz']);
});
describe('names that are cut stay different', () => {
  const lib = (tile: string) => `Cijk_Alik_Bljk_BBS_BH_${tile}_GRVW8_WSGRB0_WS64_WG32_8_1`;
  test('by what tells them apart', () => {
    expect(fitTexts([lib('MT16'), lib('MT32')], 24)).toEqual(['Cijk_Alik_B…MT16_GRVW8_…', 'Cijk_Alik_B…MT32_GRVW8_…']);
    expect(fitTexts([lib('MT16'), 'other', lib('MT16')], 24)).toEqual([
      'Cijk_Alik_Bl…64_WG32_8_1',
      'other',
      'Cijk_Alik_Bl…64_WG32_8_1',
    ]);
  });
  test('also where groups of them differ in different places', () => {
    const names = ['ax', 'ay', 'bx', 'by'].map(
      ([a, b]) => `${'begin'.repeat(9)}${a}${'middle'.repeat(9)}${b}${'end'.repeat(12)}`,
    );
    const cut = fitTexts(names, 20);
    expect(new Set(cut).size).toBe(4);
    for (const text of cut) expect(textWidth(text)).toBeLessThanOrEqual(20);
  });
  test('in a table', () =>
    expect(formatRows([[lib('MT16')], [lib('MT32')]], '~', 24)).toEqual([
      'Cijk_Alik_B…MT16_GRVW8_…',
      'Cijk_Alik_B…MT32_GRVW8_…',
    ]));
  test('and whole characters', () => {
    const cut = fitTexts(
      ['𝐚', '𝐛'].map((letter) => `${'x'.repeat(30)}${letter}${'y'.repeat(30)}`),
      16,
    );
    expect(cut).toEqual(['xxxxxxx…x𝐚yyyyy…', 'xxxxxxx…x𝐛yyyyy…']);
  });
});
test('a number stays with its unit', () => expect(wrapText('takes 12.3 ms', 9)).toBe('takes\n12.3 ms'));
