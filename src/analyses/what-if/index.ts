import { defineAnalysis } from '../contract.ts';
import { computeWhatIf } from './compute.ts';
import type { WhatIfOptions } from './options.ts';
import { renderWhatIf } from './render-text.ts';

const defaults: WhatIfOptions = { window: { kind: 'default' }, changes: [] };

export const whatIf = defineAnalysis({
  id: 'what-if',
  question: 'What would this window take if something in it were different?',
  defaults,
  compute: computeWhatIf,
  renderText: renderWhatIf,
});
