import { defineAnalysis } from '../contract.ts';
import { computeExplain } from './compute.ts';
import type { ExplainOptions } from './options.ts';
import { renderExplain } from './render-text.ts';

const defaults: ExplainOptions = { event: { kind: 'position', position: 0 }, links: 12 };

export const explain = defineAnalysis({
  id: 'explain',
  question: 'Why did this event begin when it did?',
  defaults,
  compute: computeExplain,
  renderText: renderExplain,
});
