import {
  escapeText,
  fitText,
  formatBar,
  formatCount,
  formatDur,
  formatPlural,
  formatRows,
  formatShare,
  textWidth,
  wrapText,
} from '../../base/format.ts';
import { shortKernelNames } from '../../base/kernel-name.ts';
import type { RenderOptions } from '../contract.ts';
import type { InfoRank, InfoResult } from '../info/result.ts';
import type { ReportAnswers, ReportName, ReportPart, ReportResult, ReportVerdict } from './result.ts';
import { SUMMARIES } from './summaries.ts';
import { nextOf, nounOf } from './words.ts';

const WIDTH = 100;
const BAR = 40;
const LEAST_SCALE = 0.25;
/** Parts of the path below this share are shown as one. */
const LEAST_SHARE = 0.01;
/** Parts of the path that come with advice. */
const ADVISED = 3;

/** One screen: what this is, the verdict, the path, its three largest parts, and how far it can be trusted. */
export function renderReport(result: ReportResult, options: RenderOptions): string {
  const sections = [
    [...healthLines(result.info, options), '', options.style('bold', wrapText(verdictText(result, options), WIDTH))],
    [...pathLines(result), ...leftOutLines(result.verdict)],
    ...result.verdict.parts.map((part, at) => partLines(part, at + 1, options)),
    answerLines(result.answers, options),
    [wrapText(trustText(result), WIDTH, 2), ...noteLines(result)],
  ];
  return `${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** What was read, and what one should know of it: printed where the path has no answer. */
export function renderHealth(info: InfoResult, options: RenderOptions): string[] {
  const notes = info.ranks.flatMap((rank) => rank.notes);
  return [...healthLines(info, options), ...notes.map((note) => wrapText(`note: ${escapeText(note)}`, WIDTH, 2))];
}

function healthLines({ ranks }: InfoResult, { style }: RenderOptions): string[] {
  return ranks.map((rank) => {
    const file = fitText(escapeText(rank.file), 60);
    const [trace, job] = rankTexts(rank);
    const head = `${file}: ${trace},`;
    // What does not fit on one line is parted between what was recorded and where it ran.
    const fits = textWidth(`${head} ${job}`) <= WIDTH;
    return style('dim', fits ? `${head} ${job}` : `${wrapText(head, WIDTH, 2)}\n  ${job}`);
  });
}

/** `rank 0 of 8, 1,814 events over 41.2 ms of trace` and `NVIDIA A10, 2 streams, 3 complete steps`. */
export function rankTexts(rank: InfoRank): [string, string] {
  const of = rank.worldSize === undefined ? '' : ` of ${formatCount(rank.worldSize)}`;
  const events = `${formatPlural(rank.events, 'event')} over ${formatDur(rank.spanNs)} of trace`;
  const [device] = rank.devices;
  const name = device?.name === undefined || device.name === '' ? '' : `${fitText(escapeText(device.name), 40)}, `;
  return [
    rank.rank === undefined ? events : `rank ${rank.rank}${of}, ${events}`,
    `${name}${formatPlural(rank.streams, 'stream')}, ${stepsText(rank)}`,
  ];
}

function stepsText({ steps }: InfoRank): string {
  const complete = steps.filter((step) => step.complete).length;
  if (steps.length === 0) return 'no steps';
  if (complete === steps.length) return formatPlural(complete, 'complete step');
  return `${formatPlural(steps.length, 'step')} (${formatCount(complete)} complete)`;
}

export function verdictText({ verdict }: ReportResult, options: RenderOptions): string {
  const { parts } = verdict;
  const label = fitText(escapeText(verdict.label), 60);
  if (parts.length === 0) return `${label} takes no time.`;
  const [pole, ...more] = parts;
  const others = more.slice(0, 2);
  const its = `${formatShare(pole.share, 0)} of its path is ${nounOf(pole)}`;
  const rest = others.map((part) => `${formatShare(part.share, 0)} ${nounOf(part)}`);
  const sentences = [`${subjectText(verdict, label)}; ${[its, ...rest].join(', ')}.`, poleText(pole, options)];
  return [...sentences, ...winText(verdict, options)].join(' ');
}

function subjectText({ unit, count, medianNs, minNs, maxNs }: ReportVerdict, label: string): string {
  if (unit === 'window') return `${label === 'whole trace' ? 'The whole trace' : label} takes ${formatDur(medianNs)}`;
  const one = unit === 'step' ? 'A step' : 'An instance';
  return `${one} takes ${formatDur(medianNs)} (median of ${formatCount(count)}; ${rangeText(minNs, maxNs)})`;
}

/** `75.5–81.1 ms`: the unit once where both have the same. */
function rangeText(minNs: number, maxNs: number): string {
  const [low = '', lowUnit] = formatDur(minNs).split(' ');
  const high = formatDur(maxNs);
  return high.endsWith(` ${lowUnit}`) ? `${low}–${high}` : `${low} ${lowUnit} – ${high}`;
}

function poleText(pole: ReportPart, options: RenderOptions): string {
  const [name] = pole.names;
  const noun = nounOf(pole);
  if (pole.unnamedNs > (name?.totalNs ?? 0)) {
    return `The long pole is ${noun}, ${mostOf(pole, pole.unnamedNs)} with no op behind it in the trace.`;
  }
  if (name === undefined) return `The long pole is ${noun}.`;
  const text = nameText(pole, name, options, 60);
  return `The long pole is ${noun}, ${mostOf(pole, name.totalNs)} ${text} (${formatShare(name.share, 0)}).`;
}

function mostOf({ totalNs }: ReportPart, ns: number): string {
  const share = totalNs > 0 ? ns / totalNs : 0;
  if (share >= 0.995) return 'all of it';
  return share > 0.5 ? 'most of it' : 'above all';
}

/** `Of single ops, cutlass_gemm would win most: in half its time it saves 2.1 ms a step.` Time between ops is no op's. */
function winText({ largestWin, count, unit, medianNs }: ReportVerdict, options: RenderOptions): string[] {
  if (largestWin === undefined) return [];
  const { name, kind, halfNs } = largestWin;
  const text = nameText({ kind, names: [{ name }] }, { name }, options, 60);
  const each = unit === 'window' ? '' : ` a ${unit}`;
  const share = medianNs > 0 ? ` (${formatShare(halfNs / count / medianNs, 0)})` : '';
  const saved = formatDur(Math.round(halfNs / count));
  return [`Of single ops, ${text} would win most: in half its time it saves ${saved}${each}${share}.`];
}

export function nameText(
  { kind, names }: { readonly kind: ReportPart['kind']; readonly names: readonly Pick<ReportName, 'name'>[] },
  { name, python }: Pick<ReportName, 'name' | 'python'>,
  { fullNames }: RenderOptions,
  width: number,
): string {
  const short = fullNames ? undefined : shortKernelNames(names.map((each) => each.name)).get(name);
  const text = fitText(escapeText(short ?? name), fullNames ? Infinity : width);
  switch (kind) {
    case 'host-gap':
      return python === undefined ? `before ${text}` : `${fitText(escapeText(python), width)}, before ${text}`;
    case 'launch':
    case 'stream-gap':
    case 'unexplained':
      return `before ${text}`;
    default:
      return text;
  }
}

function pathLines({ verdict }: ReportResult): string[] {
  const all = verdict.breakdown.filter(({ totalNs }) => totalNs > 0);
  const shown = all.filter(({ share }, at) => share >= LEAST_SHARE || at < 3);
  const rest = all.slice(shown.length);
  const scale = Math.max(...shown.map(({ share }) => share), LEAST_SCALE);
  const rows = shown.map(({ kind, totalNs, share }) => [
    kind,
    formatDur(totalNs),
    formatShare(share),
    formatBar(share / scale, BAR),
  ]);
  if (rest.length > 0) {
    const totalNs = rest.reduce((sum, row) => sum + row.totalNs, 0);
    const share = rest.reduce((sum, row) => sum + row.share, 0);
    rows.push([
      formatPlural(rest.length, 'other'),
      formatDur(totalNs),
      formatShare(share),
      formatBar(share / scale, BAR),
    ]);
  }
  return formatRows(rows, '<>><').map((line) => `  ${line}`);
}

/** `without ProfilerStep#0 (warm-up), and 29.7 ms between steps`. */
function leftOutLines({ leftOut: { steps, betweenNs } }: ReportVerdict): string[] {
  const shown = steps.slice(0, 3).map(({ label, why }) => `${fitText(escapeText(label), 40)} (${why})`);
  const parts = [
    ...shown,
    ...(steps.length > shown.length ? [`${formatPlural(steps.length - shown.length, 'more step')}`] : []),
    ...(betweenNs > 0 ? [`${formatDur(betweenNs)} between steps`] : []),
  ];
  return parts.length === 0 ? [] : [`  ${wrapText(`without ${parts.join(', ')}`, WIDTH - 2, 2)}`];
}

function partLines(part: ReportPart, rank: number, options: RenderOptions): string[] {
  const noun = nounOf(part);
  const names = part.names.map(
    (name) => `${nameText(part, name, options, 50)} ${formatShare(name.share)} (e-${name.longest.event})`,
  );
  if (part.unnamedNs > LEAST_SHARE * part.totalNs) names.push(`${formatDur(part.unnamedNs)} with no op behind it`);
  const made = names.length === 0 ? '' : `: ${names.join('; ')}`;
  const head = `${rank}. ${noun}, ${formatDur(part.totalNs)} in ${formatPlural(part.segments, 'segment')}${made}`;
  if (rank > ADVISED) return [wrapText(head, WIDTH, 3)];
  return [wrapText(head, WIDTH, 3), `   ${wrapText(`Next: ${nextOf(part)}`, WIDTH - 3).replaceAll('\n', '\n   ')}`];
}

/** One command a line, and its answer in short. */
function answerLines(answers: ReportAnswers, { fullNames, style }: RenderOptions): string[] {
  const ids = Object.keys(SUMMARIES) as (keyof ReportAnswers)[];
  const column = Math.max(...ids.map((id) => id.length)) + 4;
  const name = (text: string): string =>
    fullNames ? escapeText(text) : fitText(escapeText(shortKernelNames([text]).get(text) ?? text), 40);
  return ids
    .map((id) => {
      const text = summaryOf(answers, id, name);
      const lines = wrapText(text, WIDTH - column).split('\n');
      return lines.map((line, at) => `${at === 0 ? `  ${id}`.padEnd(column) : ' '.repeat(column)}${line}`).join('\n');
    })
    .map((text, at) => (answers[ids[at] as keyof ReportAnswers].status === 'ok' ? text : style('dim', text)));
}

function summaryOf<Id extends keyof ReportAnswers>(
  answers: ReportAnswers,
  id: Id,
  name: (text: string) => string,
): string {
  const outcome: ReportAnswers[keyof ReportAnswers] = answers[id];
  if (outcome.status !== 'ok') return `no answer: ${escapeText(outcome.reason)}`;
  const summarize = SUMMARIES[id] as (result: unknown, name: (text: string) => string) => string;
  return summarize(outcome.result, name);
}

export function trustText({ criticalPath }: ReportResult): string {
  const { launches, waits, inversions } = criticalPath.coverage;
  const unexplained = criticalPath.path.breakdown.find(({ kind }) => kind === 'unexplained')?.share ?? 0;
  const unsettled = waits.future + waits.unresolved;
  return [
    `trust: ${formatShare(unexplained)} of the path is unexplained`,
    launches.total === 0
      ? 'no launches'
      : `${formatCount(launches.linked)} of ${formatPlural(launches.total, 'launch', 'launches')} linked`,
    waits.total === 0
      ? 'no rows of waits'
      : `${formatCount(unsettled)} of ${formatPlural(waits.total, 'wait')} unresolved`,
    inversions.count === 0
      ? 'no clock inversions'
      : `${formatPlural(inversions.count, 'clock inversion')} up to ${formatDur(inversions.maxNs)}`,
  ].join('; ');
}

function noteLines({ criticalPath }: ReportResult): string[] {
  return criticalPath.notes.map((note) => wrapText(`note: ${escapeText(note)}`, WIDTH, 2));
}
