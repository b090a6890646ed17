import { defineAnalysis } from '../contract.ts';
import type { ScopeOptions } from '../scope.ts';
import { computeAnnotations } from './compute.ts';
import { renderAnnotations } from './render-text.ts';

const defaults: ScopeOptions = { window: { kind: 'default' } };

export const annotations = defineAnalysis({
  id: 'annotations',
  question: 'What does each annotation cost, on the host and on the device?',
  defaults,
  compute: computeAnnotations,
  renderText: renderAnnotations,
});
