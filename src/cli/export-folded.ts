import { Readable } from 'node:stream';
import type { Outcome } from '../analyses/contract.ts';
import { ANALYSES } from '../analyses/registry.ts';
import { foldedLines } from '../base/folded-stacks.ts';
import { escapeText, formatPlural } from '../base/format.ts';
import type { Session } from '../session/session.ts';
import { foldedWeightOf, scopeOptionsOf } from './args.ts';
import type { ExportRequest } from './commands/export.ts';
import { writeNote, writeOut } from './output.ts';
import { writeTarget } from './target.ts';

export async function exportFolded(session: Session, { to, flags }: ExportRequest): Promise<Outcome<void>> {
  const weight = foldedWeightOf(flags);
  const options = { ...ANALYSES.ops.defaults, ...(await scopeOptionsOf(flags)), folded: weight };
  const outcome = session.run('ops', options);
  if (outcome.status !== 'ok') return outcome;
  const stacks = outcome.result.folded ?? [];
  if (stacks.length === 0) {
    const what = weight === 'device' ? 'device work' : 'host ops';
    return { status: 'not-applicable', reason: `the trace has no ${what} in ${outcome.result.window.label}` };
  }
  const lines = foldedLines(stacks);
  if (to === undefined) await writeOut(lines);
  else {
    await writeTarget('--out', to, Readable.from(lines));
    writeNote(`wrote ${escapeText(to)}: ${formatPlural(stacks.length, 'stack')}, ${weight} time in ns`);
  }
  return { status: 'ok', result: undefined };
}
