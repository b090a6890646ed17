import {
  escapeText,
  formatCount,
  formatDur,
  formatInstant,
  formatPlural,
  formatRows,
  wrapText,
} from '../../base/format.ts';
import type { RenderOptions } from '../contract.ts';
import { joinSections } from '../text-tables.ts';
import type { CallEdge, Chain, ExplainResult, Held, IdleWait, Rival, WaitDetail } from './result.ts';
import { Names, chainEndText, linkText, verbOf } from './words.ts';

const WIDTH = 100;

export function renderExplain(result: ExplainResult, options: RenderOptions): string {
  const names = new Names(result, options.fullNames);
  const { event, ended, chain, chainEnd } = result;
  const { style } = options;
  const began: Chain = { links: chain, end: chainEnd };
  const sections = [
    titleLines(result, names, options),
    // Of a call that waited it matters why it ended.
    ...(ended === undefined
      ? [chainLines('why it began then', began, names, style)]
      : [
          chainLines(`why it ${verbOf(event, 'end')} then`, ended, names, style),
          chainLines('why it began then', began, names, style, 2),
        ]),
    rivalLines(result.rivals, names, options),
    holdLines(result.holds, names, options),
    edgeLines(result.edges ?? [], names, options),
    result.notes.map((note) => wrapText(`note: ${escapeText(note)}`, WIDTH, 2)),
  ];
  return joinSections(sections);
}

function titleLines({ event, asked }: ExplainResult, names: Names, { style }: RenderOptions): string[] {
  const { launch, startNs, endNs, slackNs } = event;
  const took = event.kind === 'device-op' ? 'ran' : 'took';
  const lines = [
    style(
      'bold',
      wrapText(
        `${names.brief(event)} began at ${formatInstant(startNs)} and ${took} ${formatDur(endNs - startNs)}`,
        WIDTH,
        2,
      ),
    ),
  ];
  const facts: string[] = [];
  if (asked !== undefined) facts.push(`asked for e-${asked.event} (${escapeText(asked.name)}), which stands for it`);
  if (launch !== undefined) {
    facts.push(`launched by ${names.placed(launch)}, called ${formatDur(startNs - launch.startNs)} before`);
  } else if (names.place(event) !== '') facts.push(names.place(event).trim());
  const [first, ...more] = event.launched ?? [];
  if (first !== undefined) {
    facts.push(`launched ${names.brief(first)}${more.length > 0 ? ` and ${formatCount(more.length)} more` : ''}`);
  }
  const labels = [event.step, event.annotation].flatMap((label) => (label === undefined ? [] : [names.text(label)]));
  if (labels.length > 0) facts.push(`in ${labels.join(', ')}`);
  facts.push(slackText(slackNs, event.window));
  return [...lines, ...facts.filter((fact) => fact !== '').map((fact) => `  ${wrapText(fact, WIDTH - 2, 4)}`)];
}

function slackText(slackNs: number | undefined, window: string | undefined): string {
  if (slackNs === undefined) return 'slack: the end of the window does not depend on it';
  const of = window === undefined ? 'the window' : escapeText(window);
  if (slackNs === 0) return `slack: none; any longer, and the end of ${of} moves`;
  return `slack: it could take ${formatDur(Math.round(slackNs))} longer before the end of ${of} moves`;
}

/** Without `most`, every link. */
function chainLines(
  title: string,
  { links, end }: Chain,
  names: Names,
  style: RenderOptions['style'],
  most = Infinity,
): string[] {
  const shown = links.slice(0, most).map((link, i) => numbered(i + 1, linkText(link, names)));
  const rest = links.length - shown.length;
  const last = links.at(-1);
  const where = last === undefined ? '' : `${names.brief(last.source)}: `;
  const foot =
    rest > 0
      ? style('dim', `${formatPlural(rest, 'more link')}: --json`)
      : wrapText(where + chainEndText(end, last), WIDTH - 6, 6);
  return [style('bold', title), ...shown, `      ${foot}`];
}

const numbered = (n: number, text: string): string => `${String(n).padStart(4)}. ${wrapText(text, WIDTH - 6, 6)}`;

function rivalLines(rivals: readonly Rival[], names: Names, { limit, style, fullNames }: RenderOptions): string[] {
  if (rivals.length === 0) return [];
  const arrived = rivals.filter((rival) => 'source' in rival);
  const shown = arrived.slice(0, limit);
  const rows = shown.map(({ moment, slackNs, kind, source, sourceMoment, status, rule, wait }) => [
    moment,
    formatDur(Math.round(slackNs)),
    kind,
    `${names.brief(source)} ${verbOf(source, sourceMoment)}`,
    [
      ...(status === 'inverted' ? ['later by the clock'] : []),
      ...(rule === undefined ? [] : [`guess: ${escapeText(rule)}`]),
      ...(wait === undefined ? [] : [pairText(wait)]),
    ]
      .filter((part) => part !== '')
      .join(', '),
  ]);
  const titles = ['moment', 'slack', 'kind', 'what it waited for', ''];
  const title = 'what else it had to wait for (slack: how much later that could have come)';
  return table(title, titles, [...rows, ...idleRows(rivals)], '<><~<', arrived.length - shown.length, {
    style,
    fullNames,
  });
}

/** `wait 5194 for record 5193`: by correlation. */
function pairText({ wait, record }: WaitDetail): string {
  const waits = wait === undefined ? [] : [`wait ${wait}`];
  return [...waits, ...(record === undefined ? [] : [`record ${record}`])].join(' for ');
}

/** Waits that came to nothing, one row a status. */
function idleRows(rivals: readonly Rival[]): string[][] {
  const byStatus = new Map<string, IdleWait[]>();
  for (const rival of rivals) {
    if ('source' in rival) continue;
    const key = `${rival.moment} ${rival.kind} ${rival.status}`;
    byStatus.set(key, [...(byStatus.get(key) ?? []), rival]);
  }
  return [...byStatus.values()].map((same) => {
    const [{ moment, kind, status, wait }] = same;
    const more = same.length > 1 ? ` and ${formatCount(same.length - 1)} more` : '';
    return [moment, '', kind, STATUS_WORDS[status], `wait ${wait.wait ?? '?'}${more}`];
  });
}

const STATUS_WORDS = {
  empty: 'nothing: no op came before the record',
  'same-stream': 'nothing: its own stream',
  unresolved: 'not known: the row names no usable record',
  future: 'not known: the row names a later record',
} as const;

function holdLines(holds: readonly Held[], names: Names, { limit, style, fullNames }: RenderOptions): string[] {
  if (holds.length === 0) return ['it held up nothing: whatever came after it had a later cause'];
  const shown = holds.slice(0, limit);
  const rows = shown.map((held) => [
    formatDur(held.lagNs),
    held.boundBy,
    `${names.brief(held.event)} ${verbOf(held.event, held.moment)}`,
    held.rule === undefined ? '' : `guess: ${escapeText(held.rule)}`,
  ]);
  const titles = ['after', 'kind', 'what came when it did because of it', ''];
  return table('what it held up', titles, rows, '><~<', holds.length - shown.length, { style, fullNames });
}

function edgeLines(edges: readonly CallEdge[], names: Names, { limit, style, fullNames }: RenderOptions): string[] {
  if (edges.length === 0) return [];
  const shown = edges.slice(0, limit);
  const rows = shown.map(({ role, status, binds, wait, source, sink }) => [
    role === 'wait'
      ? `waits${wait.record === undefined ? '' : ` for record ${wait.record}`}`
      : `awaited by ${wait.wait ?? '?'}`,
    status,
    binds ? 'yes' : '',
    source === undefined ? '' : names.brief(source),
    sink === undefined ? '' : names.brief(sink),
  ]);
  const titles = ['this call', 'status', 'binds', 'source', 'sink'];
  return table('what this call stands for', titles, rows, '<<<~~', edges.length - shown.length, { style, fullNames });
}

function table(
  title: string,
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  align: string,
  more: number,
  { style, fullNames }: Pick<RenderOptions, 'style' | 'fullNames'>,
): string[] {
  const [head = '', ...lines] = formatRows([titles, ...rows], align, fullNames ? Infinity : WIDTH - 2);
  return [
    style('bold', title),
    style('dim', `  ${head}`),
    ...lines.map((line) => `  ${line}`),
    ...(more > 0 ? [style('dim', `  ${formatCount(more)} more: --limit`)] : []),
  ];
}
