import { defineAnalysis } from '../contract.ts';
import type { ScopeOptions } from '../scope.ts';
import { computeIdle } from './compute.ts';
import { renderIdle } from './render-text.ts';

const defaults: ScopeOptions = { window: { kind: 'default' } };

export const idle = defineAnalysis({
  id: 'idle',
  question: 'Why was each device idle, and what did each gap wait for?',
  defaults,
  compute: computeIdle,
  renderText: renderIdle,
});
