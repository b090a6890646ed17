import type { Session } from '../../src/session/session.ts';

/** One number of HTA beside ours. */
export interface ParityRow {
  /** `diff__a100_eager`: the folder below `expected-hta`. */
  readonly trace: string;
  /** HTA's method, such as `get_temporal_breakdown`. */
  readonly method: string;
  readonly quantity: string;
  readonly hta: string;
  readonly ours: string;
  /**
   * Empty where ours, rounded as HTA rounds, is the same text. Else the defect of HTA or the rule of ours that makes the difference;
   * said only after HTA's number was made again from our trace by its own rule, so that the reason is shown and not guessed.
   */
  readonly why: string;
}

/** All numbers of one file below `expected-hta/<trace>/` beside ours. Throws where a difference is not explained to HTA's last digit. */
export type Parity = (trace: string, expected: unknown, session: Session) => readonly ParityRow[];
