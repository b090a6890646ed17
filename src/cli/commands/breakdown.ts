import { analysisCommand } from '../analysis-command.ts';

export const run = analysisCommand('breakdown', { lists: ['windows'] });
