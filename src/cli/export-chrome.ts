import { basename } from 'node:path';
import type { Outcome } from '../analyses/contract.ts';
import { ANALYSES } from '../analyses/registry.ts';
import { escapeText, formatPlural } from '../base/format.ts';
import { writeCounters } from '../session/overlay/write-counters.ts';
import type { Session } from '../session/session.ts';
import { scopeOptionsOf } from './args.ts';
import type { ExportRequest } from './commands/export.ts';
import { UsageError } from './exit.ts';
import { catchInterrupt } from './interrupt.ts';
import { startProgress, writeNote } from './output.ts';
import { refusalOf, targetOf } from './target.ts';

const WHOLE = { kind: 'range', startNs: 0, endNs: Number.MAX_SAFE_INTEGER } as const;

/** The trace itself, with counters of queue depth and bandwidth: over all of it, or over the window that is asked for. */
export async function exportChrome(session: Session, { from, to = '', flags }: ExportRequest): Promise<Outcome<void>> {
  if (flags.counters !== true) {
    throw new UsageError('--format chrome adds rows to the trace; say which: for example --format chrome --counters');
  }
  const asked = await scopeOptionsOf(flags);
  const window = asked.window.kind === 'default' ? WHOLE : asked.window;
  const outcome = session.run('counters', { ...ANALYSES.counters.defaults, ...asked, window, points: true });
  if (outcome.status !== 'ok') return outcome;
  const { queues, bandwidths } = outcome.result;
  if (queues.length + bandwidths.length === 0) {
    return { status: 'not-applicable', reason: 'no queue and no bandwidth is known' };
  }
  const target = await targetOf(to);
  catchInterrupt();
  const progress = startProgress('writing', basename(target));
  const options = { from, to: target, onProgress: (bytes: number) => progress.update(bytes) };
  const rows = await writeCounters(session.trace, outcome.result, options).catch(refusalOf('--out', to));
  progress.done();
  const counters = formatPlural(queues.length + bandwidths.length, 'counter');
  writeNote(`wrote ${escapeText(to)}: the trace, and ${formatPlural(rows, 'row')} of ${counters}`);
  return { status: 'ok', result: undefined };
}
