import { defineAnalysis } from '../contract.ts';
import type { LaunchesOptions } from './options.ts';
import { computeLaunches } from './compute.ts';
import { renderLaunches } from './render-text.ts';

const defaults: LaunchesOptions = { window: { kind: 'default' } };

export const launches = defineAnalysis({
  id: 'launches',
  question: 'How far ahead of the device does the host launch?',
  defaults,
  compute: computeLaunches,
  renderText: renderLaunches,
});
