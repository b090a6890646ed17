import { analysisCommand } from '../analysis-command.ts';
import { opsOptionsOf } from '../args.ts';

export const run = analysisCommand('ops', { optionsOf: opsOptionsOf, lists: ['rows', 'sequences'] });
