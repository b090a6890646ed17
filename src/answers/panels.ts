/** What the panels of the page list: the answers of analyses, without what no panel shows. */
import type { Outcome } from '../analyses/contract.ts';
import type { OptionsOf } from '../analyses/registry.ts';
import type { BreakdownPanel, HealthPanel, IdlePanel, KernelsPanel } from '../protocol/calls.ts';
import { DIAGNOSTICS } from '../trace/diagnostics.ts';
import type { Session } from '../library/session.ts';

type PathOptions = OptionsOf<'critical-path'>;

/** Rows of a list at most; a list says how many there are. */
const ROWS = 300;

export function breakdownPanel(session: Session, options: PathOptions): Outcome<BreakdownPanel> {
  return mapResult(session.run('breakdown', options), ({ windows, notes }) => ({ windows, notes }));
}

export function idlePanel(session: Session, options: PathOptions): Outcome<IdlePanel> {
  return mapResult(session.run('idle', options), ({ devices, gaps, notes }) => ({
    devices,
    gaps: gaps.slice(0, ROWS),
    total: devices.reduce((sum, { gapCount }) => sum + gapCount, 0),
    notes,
  }));
}

export function kernelsPanel(session: Session, options: PathOptions): Outcome<KernelsPanel> {
  return mapResult(session.run('kernels', options), ({ classes, rows, opTimeNs, notes }) => ({
    classes,
    // JSON leaves out what is undefined: many windows would make it long.
    rows: rows.slice(0, ROWS).map((row) => ({ ...row, perWindow: undefined })),
    total: rows.length,
    opTimeNs,
    notes,
  }));
}

export function healthPanel(session: Session, options: PathOptions): HealthPanel {
  const { info } = session.report(options);
  const path = session.run('critical-path', options);
  return {
    info,
    meaning: Object.fromEntries(info.diagnostics.map(({ kind }) => [kind, DIAGNOSTICS[kind]])),
    coverage: mapResult(path, ({ coverage }) => coverage),
    notes: path.status === 'ok' ? path.result.notes : [],
  };
}

function mapResult<From, To>(outcome: Outcome<From>, change: (result: From) => To): Outcome<To> {
  return outcome.status === 'ok' ? { status: 'ok', result: change(outcome.result) } : outcome;
}
