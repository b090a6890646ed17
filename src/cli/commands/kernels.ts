import { analysisCommand } from '../analysis-command.ts';

export const run = analysisCommand('kernels', { lists: ['rows', 'shapes'] });
