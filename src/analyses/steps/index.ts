import { defineAnalysis } from '../contract.ts';
import type { ScopeOptions } from '../scope.ts';
import { computeSteps } from './compute.ts';
import { renderSteps } from './render-text.ts';

const defaults: ScopeOptions = { window: { kind: 'default' } };

export const steps = defineAnalysis({
  id: 'steps',
  question: 'How do the steps differ, and which are to be trusted?',
  defaults,
  compute: computeSteps,
  renderText: renderSteps,
});
