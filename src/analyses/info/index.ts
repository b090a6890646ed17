import type { GraphOptions } from '../../graph/graph-options.ts';
import { defineAnalysis } from '../contract.ts';
import { computeInfo } from './compute.ts';
import { renderInfo } from './render-text.ts';

const defaults: GraphOptions = {};

export const info = defineAnalysis({
  id: 'info',
  question: 'What is in this file, and how far can it be trusted?',
  defaults,
  compute: computeInfo,
  renderText: renderInfo,
});
