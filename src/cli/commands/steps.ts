import { analysisCommand } from '../analysis-command.ts';

export const run = analysisCommand('steps', { lists: ['rows'] });
