import { expect, test } from 'vitest';
import fc from 'fast-check';
import { expectGolden } from '../../test-kit/golden.ts';
import { hostileText, SAMPLE } from '../../test-kit/report-sample.ts';
import type { ReportDocument } from './document.ts';
import { codeOf, markdownOf } from './markdown-text.ts';
import { renderMarkdown } from './render-markdown.ts';

test('a report for a pull request', () => expectGolden(import.meta.url, 'golden/markdown.txt', renderMarkdown(SAMPLE)));

test('a word that could be markup is a word', () => {
  expect(markdownOf('a *b* _c_ `d` [e](f) ~g~ \\ <b> &amp; | #')).toBe(
    'a \\*b\\* \\_c\\_ \\`d\\` \\[e\\](f) \\~g\\~ \\\\ &lt;b&gt; &amp;amp; &#124; \\#',
  );
  expect(markdownOf('1. a list')).toBe('1\\. a list');
  expect(markdownOf('- a list')).toBe('\\- a list');
  expect(markdownOf('78.9 ms')).toBe('78.9 ms');
  expect(markdownOf('two\nlines')).toBe('two\\\\nlines');
});

test('nothing is mentioned or linked', () => {
  const parted = (text: string): string => markdownOf(text).replaceAll('<span></span>', '·');
  expect(parted('@user at a@b.example')).toBe('@·user at a@·b.example');
  expect(parted('ProfilerStep#5 and GH-12')).toBe('ProfilerStep#·5 and GH-·12');
  expect(parted('https://x.example www.x.example')).toBe('https:·//x.example www·.x.example');
  expect(parted('commit 0123456789abcdef')).toBe('commit 012345·6789ab·cdef');
  expect(parted('at::native :bug:')).toBe('at::native :·bug:');
  expect(markdownOf('$1$')).toBe('<span>$</span>1<span>$</span>');
});

test('a code span is longer than the backticks in it, and no bar in it parts a cell', () => {
  expect(codeOf('a`b')).toBe('``a`b``');
  expect(codeOf('`')).toBe('`` ` ``');
  expect(codeOf('a|b', true)).toBe('`a\\|b`');
  expect(codeOf('a\\|b', true)).toBe('`a\\\\x7cb`');
  expect(codeOf('a|b')).toBe('`a|b`');
});

/** What is left of Markdown without its code spans, its escapes and the elements that the renderer itself writes. */
function bare(markdown: string): string {
  const rest: string[] = [];
  for (let at = 0; at < markdown.length;) {
    const [run = ''] = /^`+/.exec(markdown.slice(at)) ?? [];
    const end = run === '' ? -1 : closing(markdown, at + run.length, run);
    if (end > 0) {
      rest.push('·');
      at = end;
    } else if (/^\\[!-/:-@[-`{-~]/.test(markdown.slice(at))) {
      rest.push('·');
      at += 2;
    } else {
      rest.push(markdown.charAt(at++));
    }
  }
  return rest.join('').replace(/<\/?(?:span|details|summary)>|<\/?code>|&(?:#124|lt|gt|amp);/g, '·');
}

function closing(markdown: string, from: number, run: string): number {
  for (const { 0: found, index } of markdown.slice(from).matchAll(/`+/g)) {
    if (found === run) return from + index + found.length;
  }
  return -1;
}

test('no text from a trace becomes markup', () => {
  fc.assert(
    fc.property(hostileText, hostileText, hostileText, (a, b, c) => {
      const markdown = renderMarkdown(hostileDocument(a, b, c));
      // oxlint-disable-next-line no-control-regex
      expect(markdown).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e]/);
      const outside = bare(markdown);
      expect(outside).not.toMatch(/<|@\w|:\/\/|#\d|www\./i);
      // The verdict's own are what is left.
      expect(outside.replaceAll('**', '')).not.toMatch(/[*_[\]`~\\]/);
      const rows = outside.split('\n').filter((line) => line.startsWith('| '));
      for (const row of rows) expect(row.split('|').length).toBe(4);
      expect(rows).toHaveLength(3);
    }),
    // Texts that would be a mention once the name between them shows nothing.
    { numRuns: 300, examples: [['@', '', '0']] },
  );
});

const hostileDocument = (a: string, b: string, c: string): ReportDocument => ({
  title: a,
  about: [b],
  verdict: [a, { code: b }, c],
  sections: [
    {
      id: 'one',
      heading: c,
      paragraphs: [a, [{ code: b }, c]],
      table: {
        columns: [
          { name: a, unit: 'text' },
          { name: b, unit: 'name' },
        ],
        rows: [[b, c]],
      },
      command: a,
    },
  ],
  notes: [c],
});

test('a comment has room for it', () => {
  const row = ['x'.repeat(70), 1, 2];
  const table = {
    columns: SAMPLE.sections[1].table?.columns.slice(0, 3) ?? [],
    rows: Array.from({ length: 10 }, () => row),
  };
  const sections = Array.from({ length: 200 }, (_, at) => ({
    id: `s${at}`,
    heading: `Section ${at}`,
    paragraphs: [],
    table,
  }));
  const markdown = renderMarkdown({ ...SAMPLE, sections });
  expect(markdown.length).toBeLessThan(65_536);
  expect(markdown).toMatch(/Left out, as a comment has no room: Section \d+, .*, …\./);
});

test('a long table is cut and says so', () => {
  const table = {
    columns: [{ name: 'n', unit: 'count' as const }],
    rows: Array.from({ length: 12 }, (_, at) => [at]),
    total: 1500,
  };
  const markdown = renderMarkdown(
    { ...SAMPLE, sections: [{ id: 'n', heading: 'N', paragraphs: [], table }] },
    { limit: 3 },
  );
  expect(markdown).toContain('| 2 |\n\n1,497 more');
});
