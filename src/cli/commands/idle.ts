import { analysisCommand } from '../analysis-command.ts';

export const run = analysisCommand('idle', { lists: ['reasons', 'drains', 'gaps'] });
