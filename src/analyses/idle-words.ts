import type { IdleCause } from './idle/result.ts';

/** What a device waited for, for people. */
export const CAUSE_WORDS: Readonly<Record<IdleCause, string>> = {
  'host-work': 'in ops',
  'host-gap': 'between ops',
  'data-loading': 'loading data',
  'synchronising-call': 'in synchronising calls',
  allocator: 'allocating memory',
  launch: 'launch latency',
  'stream-order': 'next op of the stream',
  'graph-order': 'next op of the graph',
  'event-wait': 'event wait',
  'other-device': 'another device ran',
  'other-rank': 'another rank was late',
  unexplained: 'unexplained',
};
