import { analysisCommand } from '../analysis-command.ts';

export const run = analysisCommand('annotations', { lists: ['rows', 'instances'] });
