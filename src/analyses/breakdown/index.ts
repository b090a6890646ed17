import { defineAnalysis } from '../contract.ts';
import type { ScopeOptions } from '../scope.ts';
import { computeBreakdown } from './compute.ts';
import { renderBreakdown } from './render-text.ts';

const defaults: ScopeOptions = { window: { kind: 'default' } };

export const breakdown = defineAnalysis({
  id: 'breakdown',
  question: 'Where did the time of each device go?',
  defaults,
  compute: computeBreakdown,
  renderText: renderBreakdown,
});
