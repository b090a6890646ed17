// What each process group of a job is for: data, tensor, pipeline parallelism and so on. Inferred, so each answer has its confidence.
import type { Outcome } from '../analyses/contract.ts';
import { naturalOrder } from '../base/natural-order.ts';
import type { JobMember } from './job.ts';
import type { CommCall, CommGroup } from './model.ts';

export const PARALLEL_KINDS = ['data', 'fully-sharded', 'tensor', 'pipeline', 'expert', 'context'] as const;
/** One of `PARALLEL_KINDS`. */
export type ParallelKind = (typeof PARALLEL_KINDS)[number];

/** Groups that are less sure than this are called by their shape alone. */
export const SURE = 0.7;

/** What a guess was made from: the user's file, what PyTorch says, the ranks, what is called, when in the step. */
export type Evidence = 'file' | 'description' | 'shape' | 'ops' | 'place';

/** Groups of one job that are alike: the same description, number of ranks and distance between them. */
export interface GroupFamily {
  /** The likeliest; absent where nothing speaks for any. */
  readonly kind?: ParallelKind;
  /** 0…1. Below `SURE` `kind` is a guess that should not be shown as an answer. */
  readonly confidence: number;
  readonly evidence: readonly Evidence[];
  /** As PyTorch says it; '' where it does not. */
  readonly description: string;
  /** Groups of it that were seen. */
  readonly groups: number;
  /** Ranks of each, and the distance between neighbours; absent where not told, or not the same. */
  readonly size?: number;
  readonly stride?: number;
  /** Of one of them: its name, and its ranks where told. */
  readonly name: string;
  readonly ranks?: readonly number[];
  /** Calls by what they do, over all ranks; the most first. */
  readonly ops: readonly { readonly op: CommCall['op']; readonly calls: number }[];
}

export interface GroupsAnswer {
  readonly families: readonly GroupFamily[];
}

/** What the user says of groups: those of that name, that description, or exactly these ranks. */
export interface NamedGroup {
  readonly kind: ParallelKind;
  readonly name?: string;
  readonly description?: string;
  readonly ranks?: readonly number[];
}

/** What is known of a family before it is judged. */
interface Seen {
  readonly group: CommGroup;
  readonly stride: number | undefined;
  readonly groups: Map<string, CommGroup>;
  readonly ops: Map<CommCall['op'], number>;
  /** Calls whose place in a step is known, and those of them in its first third. */
  placed: number;
  early: number;
}

/** A family, and the groups that are of it. */
export interface JudgedFamily {
  readonly family: GroupFamily;
  readonly groups: readonly CommGroup[];
}

/** The families of a job's groups, the largest groups first. Groups of one rank are none. O(calls). */
export function judgeGroups(members: readonly JobMember[], named: readonly NamedGroup[]): JudgedFamily[] {
  const seen = gather(members);
  const world = Math.max(...seen.map(({ group }) => group.size ?? 0));
  const hostSize = hostSizeOf(members);
  return seen
    .map((each) => ({ family: familyOf(each, named, { world, hostSize }), groups: [...each.groups.values()] }))
    .sort(
      ({ family: a }, { family: b }) =>
        (b.size ?? 0) - (a.size ?? 0) || (a.stride ?? 0) - (b.stride ?? 0) || naturalOrder(a.name, b.name),
    );
}

export function groupsAnswer(judged: readonly JudgedFamily[]): Outcome<GroupsAnswer> {
  if (judged.length === 0) return { status: 'not-applicable', reason: 'no rank says in which groups it calls' };
  return { status: 'ok', result: { families: judged.map(({ family }) => family) } };
}

/** Is it surely for this? */
export const isSurely = ({ kind, confidence }: GroupFamily, wanted: ParallelKind): boolean =>
  kind === wanted && confidence >= SURE;

/** The groups that are surely for this, by their keys. */
export const groupsFor = (judged: readonly JudgedFamily[], wanted: ParallelKind): ReadonlyMap<string, CommGroup> =>
  new Map(
    judged
      .filter(({ family }) => isSurely(family, wanted))
      .flatMap(({ groups }) => groups.map((group) => [group.key, group] as const)),
  );

function gather(members: readonly JobMember[]): Seen[] {
  const families = new Map<string, Seen>();
  for (const { calls, summary } of members) {
    const familyOfGroup = calls.groups.map((group): Seen | undefined => {
      if (group.size === 1 || (group.size === undefined && group.ranks === undefined)) return undefined;
      const stride = strideOf(group.ranks);
      const key = JSON.stringify([group.description, group.size, stride, group.description === '' ? group.name : '']);
      const known = families.get(key) ?? { group, stride, groups: new Map(), ops: new Map(), placed: 0, early: 0 };
      families.set(key, known);
      known.groups.set(group.key, group);
      return known;
    });
    for (const call of calls.calls) {
      const family = familyOfGroup[call.group];
      if (family === undefined) continue;
      family.ops.set(call.op, (family.ops.get(call.op) ?? 0) + 1);
      const step = summary.info.steps[call.step];
      if (step === undefined || step.completionNs <= step.startNs) continue;
      family.placed++;
      if (call.startNs < step.startNs + (step.completionNs - step.startNs) / 3) family.early++;
    }
  }
  // A group of which nothing is called says nothing of the job.
  return [...families.values()].filter(({ ops }) => ops.size > 0);
}

function strideOf(ranks: readonly number[] | undefined): number | undefined {
  if (ranks === undefined || ranks.length < 2) return undefined;
  const stride = ranks[1] - ranks[0];
  return ranks.every((rank, i) => i === 0 || rank - ranks[i - 1] === stride) ? stride : undefined;
}

/** How many ranks a host has: the devices that a trace lists; 8 where it lists none. */
const hostSizeOf = (members: readonly JobMember[]): number =>
  Math.max(8, ...members.map(({ summary }) => summary.info.devices.length));

interface Setting {
  readonly world: number;
  readonly hostSize: number;
}

function familyOf(seen: Seen, named: readonly NamedGroup[], setting: Setting): GroupFamily {
  const { group, stride, groups } = seen;
  const ops = [...seen.ops].map(([op, calls]) => ({ op, calls }));
  const judged = saidByUser(group, named) ?? judge(seen, setting);
  return {
    ...judged,
    description: group.description,
    groups: groups.size,
    ...(group.size === undefined ? {} : { size: group.size }),
    ...(stride === undefined ? {} : { stride }),
    name: group.name,
    ...(group.ranks === undefined ? {} : { ranks: group.ranks }),
    ops: ops.sort((a, b) => b.calls - a.calls || (a.op < b.op ? -1 : 1)),
  };
}

type Judgement = Pick<GroupFamily, 'kind' | 'confidence' | 'evidence'>;

function saidByUser(group: CommGroup, named: readonly NamedGroup[]): Judgement | undefined {
  const ranks = group.ranks?.join(',');
  const found = named.find(
    (each) =>
      (each.name === undefined || each.name === group.name) &&
      (each.description === undefined || each.description === group.description) &&
      (each.ranks === undefined || each.ranks.join(',') === ranks),
  );
  return found === undefined ? undefined : { kind: found.kind, confidence: 1, evidence: ['file'] };
}

/** Words that PyTorch, Megatron, DeepSpeed and others put into a group's description. `default_pg` says only that all are in it. */
const WORDS: readonly (readonly [RegExp, ParallelKind])[] = [
  [/expert|moe|(^|[_\W])ep([_\W]|$)/i, 'expert'],
  [/context|ulysses|ring_attn|(^|[_\W])(cp|sp)([_\W]|$)/i, 'context'],
  [/pipe|stage|(^|[_\W])pp([_\W]|$)/i, 'pipeline'],
  [/tensor|megatron_tp|(^|[_\W])(tp|mp)([_\W]|$)/i, 'tensor'],
  [/fsdp|shard|zero|(^|[_\W])hsdp([_\W]|$)/i, 'fully-sharded'],
  [/data|replicate|(^|[_\W])d?dp([_\W]|$)/i, 'data'],
];

/** What a description alone is worth: it is the program's own word. */
const SAID = 0.9;
/** What the calls add where they fit it, and take where they do not. */
const FITS = 0.05;
const MISFITS = 0.25;

function judge(seen: Seen, setting: Setting): Judgement {
  const guesses = guessesOf(seen, setting);
  const said = WORDS.find(([pattern]) => pattern.test(seen.group.description))?.[1];
  if (said !== undefined) {
    const own = FITTING[said].some((op) => seen.ops.has(op));
    const evidence: Evidence[] = own ? ['description', 'ops'] : ['description'];
    return { kind: said, confidence: round(own ? SAID + FITS : SAID - MISFITS), evidence };
  }
  const [best, second] = guesses.sort((a, b) => b.confidence - a.confidence);
  if (best === undefined) return { confidence: 0, evidence: [] };
  // Two readings that are nearly as good: neither is an answer.
  const isClose = second !== undefined && best.confidence - second.confidence < 0.15;
  return { ...best, confidence: round(isClose ? best.confidence * 0.75 : best.confidence) };
}

const round = (share: number): number => Math.round(share * 100) / 100;

/** What is called in a group of each kind. */
const FITTING: Readonly<Record<ParallelKind, readonly CommCall['op'][]>> = {
  data: ['all-reduce', 'reduce-scatter', 'reduce', 'broadcast'],
  'fully-sharded': ['all-gather', 'reduce-scatter'],
  tensor: ['all-reduce', 'all-gather', 'reduce-scatter'],
  pipeline: ['send', 'recv', 'send-recv'],
  expert: ['all-to-all', 'send-recv'],
  context: ['all-gather', 'all-to-all', 'send-recv', 'send', 'recv'],
};

/** Half of all calls of a group: enough to say what it is there for. */
const MAIN = 0.5;

/**
 * Without a description. Ranks next to each other within a host are mostly tensor parallel, since that needs the fastest links; gradients are
 * summed late in a step, tensor-parallel layers call all through it.
 */
function guessesOf({ group, stride, ops, placed, early }: Seen, { world, hostSize }: Setting): Judgement[] {
  const total = [...ops.values()].reduce((sum, calls) => sum + calls, 0);
  const share = (...wanted: readonly CommCall['op'][]): number =>
    wanted.reduce((sum, op) => sum + (ops.get(op) ?? 0), 0) / total;
  const size = group.size ?? group.ranks?.length ?? 0;
  const isWithinHost = stride === 1 && size <= hostSize && size < world;
  const isLate = placed > 0 && early / placed < 0.1;
  const isThroughout = placed > 0 && early / placed >= 0.2;
  const guesses: Judgement[] = [];
  const add = (kind: ParallelKind, base: number, ...more: readonly (readonly [boolean, number, Evidence])[]): void => {
    const held = more.filter(([holds]) => holds);
    const confidence = held.reduce((sum, [, worth]) => sum + worth, base);
    guesses.push({ kind, confidence, evidence: [...new Set<Evidence>([...held.map(([, , what]) => what), 'ops'])] });
  };
  if (share('all-reduce') > MAIN) {
    add('data', 0.45, [isLate, 0.25, 'place'], [size === world || (stride ?? 1) > 1, 0.1, 'shape']);
    add('tensor', 0.35, [isWithinHost, 0.25, 'shape'], [isThroughout, 0.2, 'place']);
  }
  if (share('all-gather', 'reduce-scatter') > MAIN && ops.has('all-gather') && ops.has('reduce-scatter')) {
    add('fully-sharded', 0.5, [size === world || (stride ?? 1) > 1, 0.25, 'shape']);
    add('tensor', 0.35, [isWithinHost, 0.25, 'shape']);
  }
  if (share('send', 'recv', 'send-recv') > MAIN) {
    add('pipeline', 0.55, [(stride ?? 1) > 1, 0.25, 'shape']);
    add('context', 0.35);
  }
  if (share('all-to-all') > MAIN) {
    // Embedding tables are exchanged in the same way.
    add('expert', 0.45, [(stride ?? 1) === 1 && size < world, 0.1, 'shape']);
    add('context', 0.3, [isWithinHost, 0.15, 'shape']);
  }
  return guesses;
}
