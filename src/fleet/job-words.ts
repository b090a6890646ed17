// A job's answers in words: sentences that the terminal wraps and a document sets as paragraphs.
import type { RenderOptions } from '../analyses/contract.ts';
import {
  escapeText,
  fitText,
  formatCount,
  formatDur,
  formatInstant,
  formatPlural,
  formatShare,
} from '../base/format.ts';
import type { JobLeg, JobPathAnswer } from './job-path-answer.ts';
import type { Job } from './job.ts';
import type { CallsAnswer, ClocksAnswer, JobRankRow, JobReport, StragglersAnswer } from './job-report.ts';
import type { RankSpan } from '../trace/job.ts';
import { type GroupFamily, type GroupsAnswer, SURE } from './parallel-groups.ts';
import type { RankVerdict } from './stragglers.ts';

type Rows = Pick<RenderOptions, 'limit'>;

const SOURCE_WORDS: Readonly<Record<JobReport['from'], string>> = {
  'distributed-info': 'as the traces say',
  'file-name': 'by the names of the files',
  'rank-arg': 'by the Rank of their collectives',
  order: 'only numbered in the order of their names, since nothing says which rank each is',
};

type Head = Pick<JobReport, 'from' | 'missing' | 'mixed' | 'unread'> & {
  readonly worldSize?: number | undefined;
  readonly ranks: readonly Pick<JobRankRow, 'rank' | 'file' | 'device' | 'events' | 'damage'>[];
};

/** Which ranks these are, which are not here, what cannot be read, and what is damaged; a sentence each. */
export function reportHeadTexts({ ranks, worldSize, from, missing, mixed, unread }: Head): string[] {
  const of = worldSize === undefined ? '' : ` of ${formatCount(worldSize)}`;
  const isMixed = mixed.length > 0;
  return [
    isMixed
      ? `${formatPlural(ranks.length, 'file')}: ${whatRan(ranks)}`
      : `${formatPlural(ranks.length, 'rank')}${of}, ${SOURCE_WORDS[from]}: ${whatRan(ranks)}`,
    ...(!isMixed && missing.length > 0 ? [`not here: ${spansText(missing)}`] : []),
    ...(isMixed ? [`not one run: ${mixed.map(escapeText).join('; ')}`] : []),
    ...unread.map(({ file, why }) => `cannot be read: ${fitText(escapeText(file), 60)}: ${escapeText(why)}`),
    ...ranks
      .filter(({ damage }) => damage.length > 0)
      .map(
        ({ rank, file, damage }) =>
          `damaged: ${isMixed ? '' : `rank ${rank}, `}${fitText(escapeText(file), 50)}: ${damageText(damage)}`,
      ),
  ];
}

/** The same before anything was computed. */
export const jobHeadTexts = (job: Job): string[] =>
  reportHeadTexts({
    ...job,
    ranks: job.members.map(({ rank, file, summary: { info, diagnostics } }) => {
      const device = info.devices.find(({ name = '' }) => name !== '')?.name;
      return { rank, file, ...(device === undefined ? {} : { device }), events: info.events, damage: diagnostics };
    }),
  });

function damageText(damage: JobRankRow['damage']): string {
  const sorted = damage.toSorted((a, b) => b.count - a.count || (a.kind < b.kind ? -1 : 1));
  const shown = sorted.slice(0, 3).map(({ kind, count }) => `${formatCount(count)} ${kind}`);
  return shown.join(', ') + (sorted.length > 3 ? `, ${formatPlural(sorted.length - 3, 'more kind')}` : '');
}

/** `Tesla V100, 3,290 to 3,412 events each`. */
function whatRan(ranks: Head['ranks']): string {
  if (ranks.length === 0) return 'nothing to look at';
  const devices = [...new Set(ranks.flatMap(({ device }) => (device === undefined ? [] : [device])))].sort();
  const names = devices.slice(0, 2).map((name) => fitText(escapeText(name), 40));
  if (devices.length > 2) names.push(formatPlural(devices.length - 2, 'other device'));
  const events = ranks.map((row) => row.events);
  const [least, most] = events.reduce(
    ([low, high], each) => [Math.min(low, each), Math.max(high, each)],
    [Infinity, 0],
  );
  const span = least === most ? formatCount(least) : `${formatCount(least)} to ${formatCount(most)}`;
  return [...names, `${span} events${ranks.length === 1 ? '' : ' each'}`].join(', ');
}

/** `rank 1, 3 to 6 and 12 more ranks`. */
function spansText(spans: readonly RankSpan[]): string {
  const shown = spans.slice(0, 6).map(({ first, last }) => (first === last ? String(first) : `${first} to ${last}`));
  const rest = spans.slice(6).reduce((sum, { first, last }) => sum + last - first + 1, 0);
  return `rank ${shown.join(', ')}${rest > 0 ? ` and ${formatPlural(rest, 'more rank')}` : ''}`;
}

/** The answer in a sentence or three. */
export function verdictText(report: JobReport): string {
  const { path, stragglers, mixed, ranks } = report;
  if (mixed.length > 0) return 'These files are not of one run: nothing is said across them.';
  if (path.status !== 'ok') return `No path across ranks: ${escapeText(path.reason)}.`;
  return [lengthText(path.result, ranks.length), endsText(path.result), blameText(stragglers)].join(' ');
}

function lengthText({ windows, totalNs }: JobPathAnswer, ranks: number): string {
  const counted = windows.filter(({ complete }) => complete);
  const walls = (counted.length > 0 ? counted : windows).map(({ wallNs }) => wallNs).sort((a, b) => a - b);
  const across = `across ${formatPlural(ranks, 'rank')}`;
  const [only] = windows;
  if (windows.length === 1 && only !== undefined) {
    const label = only.label === 'whole trace' ? 'The whole trace' : fitText(escapeText(only.label), 60);
    return `${label} takes ${formatDur(totalNs)} ${across}.`;
  }
  const [least, most] = [walls[0] ?? 0, walls.at(-1) ?? 0];
  const median = walls[(walls.length - 1) >> 1] ?? 0;
  return `A step takes ${formatDur(median)} ${across} (median of ${walls.length}; ${formatDur(least)} to ${formatDur(most)}).`;
}

function endsText({ legs, byRank, breakdown }: JobPathAnswer): string {
  const [first, last] = [legs[0], legs.at(-1)];
  const [kind] = breakdown;
  const what = kind === undefined ? '' : `, ${formatShare(kind.share, 0)} of it ${kind.kind}`;
  if (first === undefined || last === undefined) return '';
  if (byRank.length === 1) return `Its path stays on rank ${first.rank}${what}.`;
  const [most] = byRank;
  const between =
    most === undefined || most.rank === first.rank || most.rank === last.rank
      ? ''
      : `, ${formatShare(most.share, 0)} of it on rank ${most.rank}`;
  return `Its path begins on rank ${first.rank} and ends on rank ${last.rank}${between}${what}.`;
}

function blameText(stragglers: JobReport['stragglers']): string {
  if (stragglers.status !== 'ok') return '';
  const { named, compared } = stragglers.result;
  if (compared === 0) return 'No two ranks do the same, so none can be called slow.';
  const slow = named.filter(({ verdict }) => verdict === 'straggler');
  const late = named.filter(({ verdict }) => verdict === 'late-start');
  const [worst] = slow.toSorted((a, b) => b.intrinsicNs - a.intrinsicNs || a.rank - b.rank);
  const lateText =
    late.length === 0 ? '' : `; ${ranksText(late)} began late and ${late.length === 1 ? 'is' : 'are'} not slow`;
  if (worst === undefined) return `No rank is slower than its peers${lateText}.`;
  const others = slow.length > 1 ? ` (and ${slow.length - 1} more)` : '';
  return `Rank ${worst.rank}${others} holds the others up, by ${formatDur(worst.intrinsicNs)} a step${lateText}.`;
}

const ranksText = (list: readonly RankVerdict[]): string => {
  const shown = list.slice(0, 4).map(({ rank }) => String(rank));
  const more = list.length > 4 ? ` and ${list.length - 4} more` : '';
  return `rank ${shown.join(', ')}${more}`;
};

export function stragglerTexts({ roles, compared, named }: StragglersAnswer, { limit }: Rows): string[] {
  const order = { straggler: 0, 'late-start': 1, victim: 2, none: 3 } as const;
  const sorted = named.toSorted(
    (a, b) => order[a.verdict] - order[b.verdict] || b.intrinsicNs - a.intrinsicNs || a.rank - b.rank,
  );
  const head =
    compared === 0
      ? `nothing to compare: each of ${formatPlural(roles, 'role')} has one rank`
      : `${formatPlural(compared, 'rank')} compared in ${formatPlural(roles, 'role')}`;
  const isSlow = named.some(({ verdict }) => verdict === 'straggler');
  const shown = sorted.slice(0, Math.max(limit, 1)).map(verdictOfRank);
  const more = sorted.length - shown.length;
  return [
    isSlow || compared === 0 ? head : `${head}: none is slow`,
    ...shown,
    ...(more > 0 ? [`${more} more: --limit`] : []),
  ];
}

function verdictOfRank({ rank, verdict, intrinsicNs, cause, gain, victimOf, steps }: RankVerdict): string {
  switch (verdict) {
    case 'straggler': {
      const why =
        cause === undefined
          ? 'no one kind of work explains it'
          : `${formatShare(cause.share, 0)} of that in ${cause.kind}`;
      const win =
        gain === undefined
          ? ''
          : `; with its peers' median work the windows take ${formatDur(gain.ns)} less (${formatShare(gain.share)}; ${formatDur(gain.leastNs)} to ${formatDur(gain.mostNs)} with others')`;
      return `rank ${rank}: slower than its peers by ${formatDur(intrinsicNs)} a step, ${why}${win}`;
    }
    case 'late-start':
      return `rank ${rank}: began ${formatDur(Math.round(steps[0]?.beforeNs ?? 0))} late, before its window; it is not slow`;
    case 'victim':
      return victimOf === undefined
        ? `rank ${rank}: waits for others`
        : `rank ${rank}: a victim of rank ${victimOf.rank}, ${formatShare(victimOf.share, 0)} of what it waits`;
    case 'none':
      return `rank ${rank}: like its peers`;
  }
}

export function callsText(answer: CallsAnswer): string {
  const { calls, matched, mismatched, ambiguous, unmatched, by, meetings, incomplete } = answer;
  const how = Object.entries(by).map(([name, count]) => `${formatCount(count)} by ${name}`);
  const left = [
    ...(unmatched > 0 ? [`${formatCount(unmatched)} unmatched`] : []),
    ...(ambiguous > 0 ? [`${formatCount(ambiguous)} ambiguous`] : []),
    ...(mismatched > 0 ? [`${formatCount(mismatched)} desynchronised (same key, other op or size)`] : []),
  ];
  const whole = incomplete === 0 ? 'all with every member' : `${formatCount(incomplete)} of them without all members`;
  return [
    `${formatCount(matched)} of ${formatPlural(calls, 'call')} matched${how.length === 0 ? '' : ` (${how.join(', ')})`}`,
    ...(meetings === 0 ? [] : [`${formatPlural(meetings, 'meeting')}, ${whole}`]),
    ...left,
  ].join('; ');
}

export function clocksText(answer: ClocksAnswer): string {
  const { ranks, parts, hosts, withoutHost, checked, violated, worstNs, medianResidualNs, largestResidualNs } = answer;
  const known = ranks.flatMap(({ uncertaintyNs }) => (uncertaintyNs === undefined ? [] : [uncertaintyNs]));
  const skews = ranks.map(({ skewNs }) => skewNs);
  const spread = Math.max(...skews) - Math.min(...skews);
  const alone = hosts === 0 ? 'no two ranks seem to be of one host' : `${formatPlural(hosts, 'host')} by the clocks`;
  return [
    known.length === 0 ? 'not comparable' : `known to ±${formatDur(Math.max(...known))}, ${apartText(answer, spread)}`,
    ...(parts > 1 ? [`${formatCount(parts)} parts that no call ties together`] : []),
    hosts > 0 && withoutHost > 0 ? `${alone}, ${formatPlural(withoutHost, 'rank')} of none` : alone,
    ...(checked === 0
      ? []
      : [
          violated === 0
            ? `none of ${formatPlural(checked, 'end')} before what it needs`
            : `${formatCount(violated)} of ${formatPlural(checked, 'end')} before what they need, by up to ${formatDur(Math.round(worstNs))}`,
          `residual ${formatDur(Math.round(medianResidualNs))}, at most ${formatDur(Math.round(largestResidualNs))}`,
        ]),
  ].join('; ');
}

/** Of ranks that are set to their host's clock the fit's differences are only its scatter. */
function apartText({ ranks, hosts }: ClocksAnswer, spreadNs: number): string {
  const shared = ranks.filter(({ sharesClock }) => sharesClock).length;
  const apart = `${formatDur(spreadNs)} apart`;
  if (shared === 0) return apart;
  if (hosts === 1 && shared === ranks.length) return `fitted ${apart}, taken as one clock`;
  return `fitted ${apart}, ${formatPlural(shared, 'rank')} set to the clock of their host`;
}

export function pathTexts(answer: JobPathAnswer, { limit }: Rows): string[] {
  const { breakdown, byRank, legs, notes } = answer;
  const kinds = breakdown.slice(0, 4).map(({ kind, share }) => `${formatShare(share, 0)} ${kind}`);
  const ranks = byRank.slice(0, 3).map(({ rank, share }) => `rank ${rank} ${formatShare(share, 0)}`);
  const more = legs.length - Math.max(limit, 1);
  return [
    `${spanText(answer)}: ${kinds.join(', ')}; ${ranks.join(', ')}`,
    ...legs.slice(0, Math.max(limit, 1)).map(legText),
    ...(more > 0 ? [`${formatPlural(more, 'more leg')}: --limit`] : []),
    ...notes.map((note) => `note: ${escapeText(note)}`),
  ];
}

/** `ProfilerStep#10: 21.0 ms`; `6 windows: 461.2 ms, median 76.9 ms`. */
export function spanText({ windows, totalNs }: JobPathAnswer): string {
  const walls = windows.map(({ wallNs }) => wallNs).sort((a, b) => a - b);
  const [only] = windows;
  if (windows.length === 1 && only !== undefined) {
    return `${fitText(escapeText(only.label), 60)}: ${formatDur(totalNs)}`;
  }
  return `${formatPlural(windows.length, 'window')}: ${formatDur(totalNs)}, median ${formatDur(walls[(walls.length - 1) >> 1] ?? 0)}`;
}

/** `rank 7 from 0 ns for 10.9 ms: 70 % before-window; it came last to a call, 504.7 µs after rank 6`. */
export function legText({ rank, startNs, endNs, kinds, event, left }: JobLeg): string {
  const most = kinds.slice(0, 3).map(({ kind, share }) => `${formatShare(share, 0)} ${kind}`);
  const seen = event === undefined ? '' : ` (r-${rank}/e-${event})`;
  return `rank ${rank} from ${formatInstant(startNs)} for ${formatDur(endNs - startNs)}: ${most.join(', ')}${seen}${leftText(left)}`;
}

function leftText(left: JobLeg['left']): string {
  if (left === undefined) return '';
  if (left.marginNs === undefined || left.next === undefined) return '; then a call that it was the last to reach';
  const margin = `${formatDur(left.marginNs)} after rank ${left.next}`;
  return left.isTie
    ? `; then a call that it or rank ${left.next} reached last (a tie: ${formatDur(left.marginNs)} is within what the clocks tell)`
    : `; then a call that it reached last, ${margin}`;
}

export function groupsText({ families }: GroupsAnswer, { limit }: Rows): string[] {
  const lines = families.slice(0, Math.max(limit, 1)).map(familyText);
  return families.length > lines.length
    ? [...lines, `${formatCount(families.length - lines.length)} more: --limit`]
    : lines;
}

/** `data parallel: group of 8 (default_pg), 1,200 all-reduce`; of what is not sure only the shape. */
function familyText(family: GroupFamily): string {
  const { kind, confidence, evidence, ops, groups, description } = family;
  const shape = shapeText(family);
  const label = description === '' ? '' : ` (${fitText(escapeText(description), 40)})`;
  const several = groups > 1 ? `, ${formatCount(groups)} of them` : '';
  const calls = ops.slice(0, 3).map(({ op, calls: count }) => `${formatCount(count)} ${op}`);
  const isSure = kind !== undefined && confidence >= SURE;
  const head = isSure
    ? `${kind} parallel, ${formatShare(confidence, 0)} sure from ${evidence.join(' and ')}: ${shape}`
    : shape;
  return `${head}${label}${several}: ${calls.join(', ')}`;
}

function shapeText({ size, stride, ranks }: GroupFamily): string {
  if (size === undefined) return 'group of unknown size';
  if (stride !== undefined) return `group of ${formatCount(size)}, stride ${stride}`;
  return ranks === undefined ? `group of ${formatCount(size)}` : `group of ${formatCount(size)}, ranks irregular`;
}
