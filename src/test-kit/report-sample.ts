/** A report written by hand, with what renderers must show and what they must make harmless. */
import fc from 'fast-check';
import type { ReportDocument } from '../analyses/report/document.ts';

export const SAMPLE: ReportDocument = {
  title: 'rank0.json.gz',
  about: ['rank 0 of 8, 1,814 events over 41.3 ms of trace', 'NVIDIA A10, 2 streams, 3 complete steps'],
  verdict: [
    'A step takes 13.7 ms; 55 % of its path is collectives, all of it ',
    { code: 'ncclDevKernel<Sum|f32>' },
    '.',
  ],
  sections: [
    {
      id: 'path',
      heading: 'What the path is made of',
      paragraphs: ['From the end of ProfilerStep#5 back through whatever held each event up.'],
      chart: {
        kind: 'bars',
        unit: 'ns',
        parts: ['collectives', 'kernels', 'nothing'],
        rows: [{ label: 'path', values: [22_700_000, 17_300_000, 0] }],
      },
      table: {
        columns: [
          { name: 'part', unit: 'text' },
          { name: 'time', unit: 'ns' },
          { name: 'share', unit: 'share' },
        ],
        rows: [
          ['collectives', 22_700_000, 0.5675],
          ['kernels', 17_300_000, 0.4325],
        ],
      },
      command: 'longpole critical-path rank0.json.gz',
    },
    {
      id: 'kernels',
      heading: 'Kernels',
      paragraphs: [],
      table: {
        columns: [
          { name: 'kernel', unit: 'name' },
          { name: 'time', unit: 'ns' },
          { name: 'count', unit: 'count' },
          { name: 'bytes', unit: 'bytes' },
          { name: 'bandwidth', unit: 'gb-per-s' },
        ],
        rows: [
          ['void gemm<float, 4>(float*, int)', 1_161_000, 1_200, undefined, undefined],
          ['Memcpy HtoD (Pinned -> Device)', 4_000, 1, 56_800_000, 14.2],
          ['a`b|c\\|d', 120, 3, 0, Number.NaN],
          ['שלום <script>alert(1)</script>', 1, 1, 1, 1],
          ['"quoted" & \'quoted\'', 1, 1, 1, 1],
          ['\u001b[31mred\u202e', 1, 1, 1, 1],
        ],
        total: 93,
      },
      command: "longpole kernels 'it'\\''s.json'",
    },
    {
      id: 'kernels',
      heading: 'A chart by itself',
      paragraphs: [[{ code: 'train.py(34): train_step' }, ' takes most of it.']],
      chart: {
        kind: 'bars',
        unit: 'share',
        parts: ['kernels', 'idle'],
        rows: [
          { label: 'device 0', values: [0.75, 0.25] },
          { label: 'device 1', values: [0.5, 0.5] },
        ],
      },
    },
  ],
  notes: ['0 of 24 waits unresolved', 'see @someone, #12 and https://example.invalid'],
};

/** Texts as a hostile trace would hold them: whole attacks, and any pieces of them after each other. */
const ATTACKS = [
  '<script>alert(1)</script>',
  '</script><script>alert(1)</script>',
  '</style><img src=x onerror=alert(1)>',
  '<!--',
  '-->',
  '" onmouseover="alert(1)',
  "' onfocus='",
  '&lt;b&gt;',
  '[link](https://x.example)',
  '![image](http://x.example/a.png)',
  '<https://x.example>',
  'www.x.example',
  '@someone',
  'org/repo#12',
  '#1',
  'GH-1',
  '0123456789abcdef0123456789abcdef01234567',
  ':bug:',
  '$x^2$',
  '|',
  '\\|',
  '\\',
  '`',
  '```',
  '~~~',
  '***',
  '__',
  '| --- |',
  '\n\n# heading\n\n',
  '\r\n',
  '\t',
  '- ',
  '1. ',
  '> ',
  '    ',
  '</details>',
  '<span></span>',
  '\u0000',
  '\u001b[2J',
  '\u202e',
  '\u2028',
  '\ud800',
  'שלום',
  '<br>',
  '[^1]',
  '[ ]',
  'mailto:a@b.example',
] as const;

export const hostileText = fc
  .array(
    fc.oneof(fc.constantFrom(...ATTACKS), fc.string({ maxLength: 6 }), fc.string({ unit: 'binary', maxLength: 4 })),
    {
      maxLength: 6,
    },
  )
  .map((pieces) => pieces.join(''));
