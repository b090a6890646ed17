import { defineAnalysis } from '../contract.ts';
import type { CountersOptions } from './options.ts';
import { computeCounters } from './compute.ts';
import { renderCounters } from './render-text.ts';

const defaults: CountersOptions = { window: { kind: 'default' } };

export const counters = defineAnalysis({
  id: 'counters',
  question: 'How deep was the queue and how busy the memory over time?',
  defaults,
  compute: computeCounters,
  renderText: renderCounters,
});
