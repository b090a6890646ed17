import type { GraphOptions } from '../../graph/graph-options.ts';
import { defineAnalysis } from '../contract.ts';
import { computeSync } from './compute.ts';
import { renderSync } from './render-text.ts';

const defaults: GraphOptions = {};

export const sync = defineAnalysis({
  id: 'sync',
  question: 'Which work did each record, wait and synchronising call stand for?',
  defaults,
  compute: computeSync,
  renderText: renderSync,
});
