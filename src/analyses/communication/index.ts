import { defineAnalysis } from '../contract.ts';
import type { ScopeOptions } from '../scope.ts';
import { computeCommunication } from './compute.ts';
import { renderCommunication } from './render-text.ts';

const defaults: ScopeOptions = { window: { kind: 'default' } };

export const communication = defineAnalysis({
  id: 'communication',
  question: 'What do collectives cost, and how much of it is hidden behind computation?',
  defaults,
  compute: computeCommunication,
  renderText: renderCommunication,
});
