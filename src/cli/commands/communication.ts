import { analysisCommand } from '../analysis-command.ts';

export const run = analysisCommand('communication', { lists: ['groups', 'calls'] });
