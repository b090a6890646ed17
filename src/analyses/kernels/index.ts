import { defineAnalysis } from '../contract.ts';
import type { ScopeOptions } from '../scope.ts';
import { computeKernels } from './compute.ts';
import { renderKernels } from './render-text.ts';

const defaults: ScopeOptions = { window: { kind: 'default' } };

export const kernels = defineAnalysis({
  id: 'kernels',
  question: 'Which kernels take the time of the device, and which of them hold the step up?',
  defaults,
  compute: computeKernels,
  renderText: renderKernels,
});
