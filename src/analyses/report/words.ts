import type { SegmentKind } from '../../graph/segments.ts';

interface KindWords {
  /** In a sentence: `61 % of its path is kernels`. */
  readonly noun: string;
  /** What an engineer would look at next. */
  readonly next: string;
}

export const KIND_WORDS: Readonly<Record<SegmentKind, KindWords>> = {
  'host-work': {
    noun: 'host work',
    next: 'the device waits for these ops and calls: fewer and larger ones (compile, fuse, CUDA graphs), or work moved off this thread.',
  },
  'host-gap': {
    noun: 'time between host ops',
    next: 'the Python between ops: the code that runs before the named ones. A trace with stacks (with_stack=True) names its lines.',
  },
  'data-loading': {
    noun: 'data loading',
    next: 'the loader: more workers, prefetching, pinned memory, so that the next batch is there before the step asks for it.',
  },
  'sync-overhead': {
    noun: 'overhead of synchronising calls',
    next: 'which call it is, and who makes it (.item(), .cpu(), a tensor that is printed): one that is not needed each step can go.',
  },
  launch: {
    noun: 'launch latency',
    next: 'why the device had nothing queued: a synchronising call before these launches, or ops too small for the host to run ahead.',
  },
  kernel: {
    noun: 'kernels',
    next: 'these kernels: a faster one (precision, shape, library), fusion, or work that another stream can take over.',
  },
  collective: {
    noun: 'collectives',
    next: 'whether they can overlap with compute, and which rank comes last; one rank’s trace cannot tell waiting from transfer.',
  },
  copy: {
    noun: 'copies and fills',
    next: 'pinned memory and non_blocking copies on a stream of their own, or data that can stay where it is.',
  },
  'stream-gap': {
    noun: 'gaps between device ops',
    next: 'how small the ops around them are: fused kernels or CUDA graphs leave fewer gaps.',
  },
  'wait-for-rank': {
    noun: 'waiting for another rank',
    next: 'the rank that came last, and what bounded it.',
  },
  'transfer-or-unseen-rank': {
    noun: 'transfers, or ranks that are not at hand',
    next: 'the traces of the other ranks: with them waiting and transfer can be told apart.',
  },
  'before-window': {
    noun: 'work from before the window',
    next: 'the window before this one: its work was still running.',
  },
  unexplained: {
    noun: 'unexplained time',
    next: 'the causes that longpole critical-path names: something that the trace does not hold made the device or the host wait.',
  },
};
