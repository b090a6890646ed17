import { defineAnalysis } from '../contract.ts';
import { computeCriticalPath } from './compute.ts';
import type { CriticalPathOptions } from './options.ts';
import { renderCriticalPath } from './render-text.ts';

const defaults: CriticalPathOptions = { window: { kind: 'default' }, exact: false };

export const criticalPath = defineAnalysis({
  id: 'critical-path',
  question: 'What bounds this window, segment by segment?',
  defaults,
  compute: computeCriticalPath,
  renderText: renderCriticalPath,
});
