import { defineAnalysis } from '../contract.ts';
import { computeOps } from './compute.ts';
import type { OpsOptions } from './options.ts';
import { renderOps } from './render-text.ts';

const defaults: OpsOptions = { window: { kind: 'default' }, by: 'op', sort: 'self' };

export const ops = defineAnalysis({
  id: 'ops',
  question: 'Which host ops take time, and what do they launch?',
  defaults,
  compute: computeOps,
  renderText: renderOps,
});
