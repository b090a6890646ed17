import type { RenderOptions } from '../analyses/contract.ts';
import { escapeText, fitText, formatCount, formatDur, formatPlural, formatRows, wrapText } from '../base/format.ts';
import { DIAGNOSTICS } from '../trace/diagnostics.ts';
import type { Job, JobMember } from './job.ts';
import { jobHeadTexts } from './job-words.ts';

const WIDTH = 100;

/** What is in the files of a job: a line each, what is missing, what is damaged. `explains`: each damage with what became of it. */
export function renderJobInfo(job: Job, { limit, style }: RenderOptions, explains: boolean): string {
  const { members } = job;
  const hasRanks = job.mixed.length === 0;
  const shown = members.slice(0, Math.max(limit, 1));
  const titles = [
    ...(hasRanks ? ['rank'] : []),
    'events',
    'span',
    'steps',
    'complete',
    'streams',
    'threads',
    'calls',
    'damage',
    'file',
  ];
  const [head = '', ...table] = formatRows(
    [titles, ...shown.map((member) => [...(hasRanks ? [String(member.rank)] : []), ...cellsOf(member)])],
    `${hasRanks ? '>' : ''}>>>>>>>>~`,
    WIDTH - 2,
  );
  const more = members.length - shown.length;
  const notes = notesOf(members).map((note) => wrapText(`note: ${note}`, WIDTH, 2));
  const lines = [
    ...jobHeadTexts(job).map((text) => wrapText(text, WIDTH, 2)),
    '',
    style('dim', `  ${head}`),
    ...table.map((line) => `  ${line}`),
    ...(more > 0 ? [style('dim', `  ${formatPlural(more, hasRanks ? 'more rank' : 'more file')}: --limit`)] : []),
    ...(notes.length > 0 ? ['', ...notes] : []),
    ...(explains ? ['', ...damageLines(members, hasRanks)] : []),
  ];
  return `${lines.join('\n')}\n`;
}

function cellsOf({ file, calls, summary: { info, diagnostics } }: JobMember): string[] {
  const damage = diagnostics.reduce((sum, { count }) => sum + count, 0);
  return [
    formatCount(info.events),
    formatDur(info.spanNs),
    formatCount(info.steps.length),
    formatCount(info.steps.filter((step) => step.complete).length),
    String(info.streams),
    String(info.threads),
    formatCount(calls.calls.length),
    damage === 0 ? '' : formatCount(damage),
    fitText(escapeText(file), 40),
  ];
}

/** Said once, with how many ranks it is said of. */
function notesOf(members: readonly JobMember[]): string[] {
  const count = new Map<string, number>();
  for (const { summary } of members) {
    for (const note of summary.info.notes) count.set(note, (count.get(note) ?? 0) + 1);
  }
  return [...count].map(
    ([note, ranks]) => `${ranks === members.length ? '' : `${formatPlural(ranks, 'rank')}: `}${escapeText(note)}`,
  );
}

function damageLines(members: readonly JobMember[], hasRanks: boolean): string[] {
  const lines = members.flatMap(({ rank, file, summary: { diagnostics } }) =>
    diagnostics.map(({ kind, count, firstByteOffset }) =>
      wrapText(
        `data: ${hasRanks ? `rank ${rank}, ` : ''}${fitText(escapeText(file), 40)}: ${formatCount(count)} ${kind}, first at byte ${firstByteOffset}: ${DIAGNOSTICS[kind]}`,
        WIDTH,
        6,
      ),
    ),
  );
  return lines.length === 0 ? ['data: no damage'] : lines;
}
