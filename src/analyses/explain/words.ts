import { escapeText, fitText, formatCount, formatDur, formatPlural } from '../../base/format.ts';
import { shortKernelNames } from '../../base/kernel-name.ts';
import type { UnexplainedCause } from '../../graph/segments.ts';
import type { EventReference } from '../reference.ts';
import type {
  ChainEnd,
  ChainLink,
  CollapsedRun,
  ExplainResult,
  Guess,
  MomentName,
  PlacedEvent,
  RunPart,
  WaitDetail,
} from './result.ts';

/** A name takes no more columns of a sentence. */
const NAME = 56;

/** How events are called in one answer. */
export class Names {
  readonly #short: ReadonlyMap<string, string> | undefined;

  constructor(result: ExplainResult, fullNames: boolean) {
    this.#short = fullNames ? undefined : shortKernelNames(namesIn(result));
  }

  text(name: string): string {
    const short = escapeText(this.#short?.get(name) ?? name);
    return this.#short === undefined ? short : fitText(short, NAME);
  }

  /** `gemm (e-24, s-0.20)`, `cudaLaunchKernel (e-3)`. */
  brief({ event, name, lane }: EventReference): string {
    return `${this.text(name)} (e-${event}${isDeviceLane(lane) ? `, ${escapeText(lane)}` : ''})`;
  }

  /** Also where in the program: `cudaLaunchKernel (e-3) in aten::mm (e-2) at train.py(34): step`. */
  placed(event: PlacedEvent): string {
    return `${this.brief(event)}${this.place(event)}`;
  }

  place({ op, python }: PlacedEvent): string {
    const around = op === undefined ? '' : ` in ${this.brief(op)}`;
    return `${around}${python === undefined ? '' : ` at ${this.text(python)}`}`;
  }
}

const isDeviceLane = (lane: string): boolean => lane.startsWith('s-');

function namesIn({ event, chain, ended, rivals, holds, edges }: ExplainResult): string[] {
  const links = [...chain, ...(ended?.links ?? [])];
  const events: (EventReference | undefined)[] = [
    event,
    event.launch,
    ...(event.launched ?? []),
    ...links.flatMap((link) => [link.event, link.source, ...(link.run?.parts ?? []).map(({ longest }) => longest)]),
    ...rivals.map((rival) => ('source' in rival ? rival.source : undefined)),
    ...holds.map((held) => held.event),
    ...(edges ?? []).flatMap(({ source, sink }) => [source, sink]),
  ];
  return events.flatMap((each) => (each === undefined ? [] : [each.name]));
}

/** What the event did at a moment: host calls return, ops end. */
export function verbOf({ lane }: EventReference, moment: MomentName): string {
  if (moment === 'start') return 'began';
  return isDeviceLane(lane) ? 'ended' : 'returned';
}

/** One link as a sentence without its full stop. */
export function linkText(link: ChainLink, names: Names): string {
  const { event, moment, boundBy, lagNs, source, sourceMoment, heldNs } = link;
  const isGuess = link.rule !== undefined;
  const subject = `${isGuess ? 'guess: ' : ''}${names.brief(event)} ${verbOf(event, moment)}`;
  const held =
    heldNs === undefined || heldNs === 0 ? '' : ` ${formatDur(Math.round(heldNs))} later than it could have,`;
  const when = lagNs < 0 ? `${formatDur(-lagNs)} before (by the clocks)` : `${formatDur(lagNs)} after`;
  const from =
    boundBy === 'launch'
      ? `its launch by ${names.placed(source)}`
      : `${event.event === source.event ? 'it' : sourceText(link, names)} ${verbOf(source, sourceMoment)}`;
  const reason = reasonText(link, names);
  const more = [runText(link.run, names), typicalText(link), ruleText(link)].filter((part) => part !== '');
  const rival = link.ambiguous === true ? ' (another cause came within its usual lag)' : '';
  return `${subject}${held} ${when} ${from}${reason === '' ? '' : `: ${reason}`}${more.map((part) => `; ${part}`).join('')}${rival}`;
}

function sourceText({ source, sourceRanNs }: ChainLink, names: Names): string {
  const ran = sourceRanNs === undefined ? '' : `, which ran ${formatDur(sourceRanNs)},`;
  return `${names.placed(source)}${ran}`;
}

function ruleText({ rule, support }: Guess): string {
  if (rule === undefined) return '';
  return `by ${escapeText(rule)}${support === undefined ? '' : ` (${escapeText(support)})`}`;
}

function reasonText({ boundBy, wait, run, event, source }: ChainLink, names: Names): string {
  switch (boundBy) {
    case 'launch':
      return '';
    case 'stream-order':
      return run === undefined ? 'the op before it on its stream' : '';
    case 'stream-wait':
      return `stream ${escapeText(event.lane)} waited ${waitText(wait, names)}`;
    case 'inferred-wait':
      return wait?.wait === undefined
        ? 'no row of the trace says so'
        : `stream ${escapeText(event.lane)} waited ${waitText(wait, names)}, though no row says for what`;
    case 'event-sync':
      return `it waited ${waitText(wait, names, event.event)}`;
    case 'stream-sync':
      return `it waits for all that was enqueued on stream ${escapeText(source.lane)}${viaText(wait)}`;
    case 'device-sync':
      return `it waits for all that was enqueued on its device${viaText(wait)}`;
    case 'copy-sync':
      return 'it returns when its copy is done';
    case 'host-order':
      return run === undefined ? 'before it on its thread' : '';
    case 'thread':
      return `work was handed from thread ${escapeText(source.lane)} to ${escapeText(event.lane)}`;
    case 'collective':
      return 'the last rank to come';
    case 'graph':
      return run === undefined ? 'a node of the same graph launch' : '';
    case 'overlap':
      return 'the op before it on its stream, which it overlaps';
    case 'queue-full':
      return 'the launch queue of its stream was full until then';
  }
}

/** `(cudaStreamWaitEvent 5194, e-801) for event 1, recorded on s-0.20 behind it (cudaEventRecord 5193, e-799)`. */
function waitText(wait: WaitDetail | undefined, names: Names, own = -1): string {
  if (wait === undefined) return 'for it';
  const call = wait.waitCall?.event === own ? '' : callText(wait.waitCall, wait.wait, 'call', names);
  const parts = call === '' ? [] : [`(${call})`];
  if (wait.record === undefined && wait.cudaEventId === undefined) return [...parts, 'for it'].join(' ').trim();
  const what = wait.cudaEventId === undefined ? 'an event' : `event ${wait.cudaEventId}`;
  const on = wait.recordedOn === undefined ? '' : ` on ${escapeText(wait.recordedOn)} behind it`;
  const record = callText(wait.recordCall, wait.record, 'record', names);
  parts.push(`for ${what}, recorded${on}${record === '' ? '' : ` (${record})`}${viaText(wait)}`);
  if (wait.fallback !== undefined) parts.push(`[record found by ${wait.fallback}]`);
  return parts.join(' ');
}

function callText(
  call: EventReference | undefined,
  correlation: number | undefined,
  noun: string,
  names: Names,
): string {
  if (call === undefined) return correlation === undefined ? '' : `${noun} ${correlation}`;
  return `${names.text(call.name)}${correlation === undefined ? '' : ` ${correlation}`}, e-${call.event}`;
}

const viaText = (wait: WaitDetail | undefined): string =>
  wait?.via === undefined ? '' : `, by way of record ${wait.via}`;

function runText(run: CollapsedRun | undefined, names: Names): string {
  if (run === undefined) return '';
  const parts = run.parts.map((part) => partText(part, names)).join(', ');
  if (run.ops === 0) return parts === '' ? '' : `in between ${parts}`;
  return `in between ${formatPlural(run.ops, 'op')}${parts === '' ? '' : ` (${parts})`}`;
}

function partText({ name, gap, count, totalNs, longest }: RunPart, names: Names): string {
  const times = count === 1 ? '' : ` in ${formatCount(count)}`;
  if (gap !== true) return `${names.text(name)} ${formatDur(totalNs)}${count === 1 ? ` e-${longest.event}` : times}`;
  const where = name === '' ? 'between ops' : `between ops at ${names.text(name)}`;
  return `${where} ${formatDur(totalNs)}${times}`;
}

/** A lag beyond twice the typical is said beside it. */
function typicalText({ lagNs, typicalNs, unexplainedNs, cause }: ChainLink): string {
  const unexplained = unexplainedNs === undefined ? '' : `${formatDur(Math.round(unexplainedNs))} of it unexplained`;
  if (typicalNs === undefined) return unexplained;
  const typical = `typical ${formatDur(Math.round(typicalNs))}`;
  if (unexplained !== '') return `${typical}, ${unexplained}${cause === undefined ? '' : ` (${causeText(cause)})`}`;
  return lagNs > 2 * typicalNs && lagNs - typicalNs >= 1_000 ? typical : '';
}

export function causeText(cause: UnexplainedCause): string {
  switch (cause) {
    case 'other-lane-busy':
      return 'another stream of the device ran meanwhile';
    case 'device-idle':
      return 'the device was idle';
    case 'graph-rows-missing':
      return 'a graph launch before it left no rows';
    case 'before-capture':
      return 'from before the trace';
    case 'no-launch':
      return 'no launch in the trace';
  }
}

export function chainEndText(end: ChainEnd, last: ChainLink | undefined): string {
  switch (end.kind) {
    case 'window-start':
      return `there ${escapeText(end.label)} begins`;
    case 'in-time':
      return 'the host was in time then, since all else was not there yet';
    case 'thread-start':
      return 'nothing comes before it on its thread';
    case 'before-capture':
      return 'it was launched before the trace began';
    case 'no-launch':
      return 'its launch is not in the trace';
    case 'limit':
      return `the chain goes on${last === undefined ? '' : ` (longpole explain … e-${last.source.event}, or a larger --limit)`}`;
  }
}
