import type { SegmentKind } from '../../graph/segments.ts';
import type { ReportPart } from './result.ts';

interface KindWords {
  /** In a sentence: `61 % of its path is kernels`. */
  readonly noun: string;
  /** What an engineer would try or look at next; follows `Next:`. */
  readonly next: string;
}

export const KIND_WORDS: Readonly<Record<SegmentKind, KindWords>> = {
  'host-work': {
    noun: 'host work',
    next: 'the device waits while the host works through these: fewer and larger ops (compile, fuse, CUDA graphs), or less work on this thread.',
  },
  'host-gap': {
    noun: 'time between host ops',
    next: 'the Python that runs before the named ops; a trace with stacks (with_stack=True) names its lines.',
  },
  'data-loading': {
    noun: 'data loading',
    next: 'more loader workers, prefetching, pinned memory, so that the next batch is there before the step asks for it.',
  },
  'sync-overhead': {
    noun: 'overhead of synchronising calls',
    next: 'find who makes these calls (.item(), .cpu(), a tensor that is printed); what is not needed each step can go.',
  },
  launch: {
    noun: 'launch latency',
    next: 'the device had nothing queued: look for a synchronising call before these launches, or ops too small for the host to run ahead.',
  },
  kernel: {
    noun: 'kernels',
    next: 'faster kernels (precision, shapes, library), fusion, or work that another stream can take over.',
  },
  collective: {
    noun: 'collectives',
    next: 'can they overlap with compute, and which rank comes last? One rank’s trace cannot tell waiting from transfer.',
  },
  copy: {
    noun: 'copies and fills',
    next: 'data that can stay where it is, or copies on a stream of their own, beside the kernels.',
  },
  'stream-gap': {
    noun: 'gaps between device ops',
    next: 'many small ops leave many gaps: fused kernels or CUDA graphs leave fewer.',
  },
  'wait-for-rank': {
    noun: 'waiting for another rank',
    next: 'look at the rank that came last, and at what bounded it.',
  },
  'transfer-or-unseen-rank': {
    noun: 'transfers, or ranks that are not at hand',
    next: 'give the traces of the other ranks too: with them waiting and transfer can be told apart.',
  },
  'before-window': {
    noun: 'work from before the window',
    next: 'look at the window before this one: its work was still running.',
  },
  unexplained: {
    noun: 'unexplained time',
    next: 'something that the trace does not hold made it wait; longpole critical-path names the causes.',
  },
};

/** The first that the name of the largest copy matches. `HtoD`, `Host -> Device` and `HostToDevice` are of different vendors and years. */
const COPY_ADVICE = [
  [/PtoP|Peer/, 'these go from device to device: data that can stay where it is, or copies beside the kernels.'],
  [/memset|fill/i, 'these are fills: zero_grad(set_to_none=True), and buffers that need not be zeroed each time.'],
  [
    /DtoD|DeviceToDevice|Device -> Device/,
    'these stay on the device: contiguous(), clone(), cat and changes of layout make them; fewer of those, or fused with the kernels beside them.',
  ],
  [
    /(HtoD|HostToDevice|-> Device).*Pinned|Pinned.*-> Device/,
    'these come from pinned memory already: non_blocking copies on a stream of their own, beside the kernels, or data that can stay on the device.',
  ],
  [
    /HtoD|HostToDevice|-> Device/,
    'pinned memory and non_blocking copies on a stream of their own, or data that can stay on the device.',
  ],
  [
    /DtoH|DeviceToHost|Device ->/,
    'who reads results back (.item(), .cpu(), a tensor that is printed)? Less often, or non_blocking into pinned memory.',
  ],
] as const;

/** A part in a sentence. */
export function nounOf({ kind, otherNs = 0, totalNs }: Pick<ReportPart, 'kind' | 'otherNs' | 'totalNs'>): string {
  if (otherNs === 0) return KIND_WORDS[kind].noun;
  return otherNs === totalNs ? 'other work' : 'kernels and other work';
}

/** The advice for a part of the path: of copies, by where the largest goes. */
export function nextOf(part: Pick<ReportPart, 'kind' | 'names'> & Partial<ReportPart>): string {
  const { kind, names, otherNs = 0, totalNs = 0 } = part;
  // A faster kernel is no advice for a wait or an envelope.
  if (otherNs > totalNs / 2) {
    return 'ops that are neither computation nor transfer, by their name or your --rules: what do they wait for?';
  }
  const [largest] = names;
  const special = kind === 'copy' && largest !== undefined && COPY_ADVICE.find(([name]) => name.test(largest.name));
  return special ? special[1] : KIND_WORDS[kind].next;
}
