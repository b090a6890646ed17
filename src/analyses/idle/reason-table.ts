import type { PathRows } from '../../graph/path-rows.ts';
import type { PathContext } from '../../graph/path.ts';
import { referTo } from '../refer.ts';
import type { DeviceGaps } from './gaps.ts';
import { type RawDrain, type RawReason, ReasonNumbers, drainReason, reasonOf, textOf } from './reason.ts';
import type { IdleDrain, IdleReason } from './result.ts';

interface Draft<T> {
  readonly reason: RawReason;
  total: number;
  gaps: number;
  /** The last gap that was counted. */
  lastGap: number;
  /** Of the longest part. */
  most: number;
  gapOfMost: number;
  what: T;
}

/** Sums idle time by reason, and by the synchronising call that it follows. Gaps come in order. */
export class ReasonTable {
  readonly #context: PathContext;
  readonly #gaps: DeviceGaps;
  readonly #numbers: ReasonNumbers;
  /** By number of the reason. */
  readonly #reasons = new Map<number, Draft<number>>();
  readonly #drains = new Map<number, Draft<RawDrain>>();

  constructor(context: PathContext, gaps: DeviceGaps) {
    this.#context = context;
    this.#gaps = gaps;
    this.#numbers = new ReasonNumbers(context.graph);
  }

  add(gap: number, rows: PathRows, row: number): void {
    const reason = reasonOf(this.#context, this.#gaps.device, rows, row);
    addTo(this.#reasons, this.#numbers.of(reason), reason, gap, rows.end[row] - rows.start[row], reason.event);
  }

  addDrain(gap: number, drain: RawDrain): void {
    const reason = drainReason(this.#context, drain);
    const length = this.#gaps.end[gap] - this.#gaps.start[gap];
    addTo(this.#drains, this.#numbers.of(reason), reason, gap, length, drain);
  }

  reasons(idleNs: number): IdleReason[] {
    const { graph } = this.#context;
    return [...this.#reasons.values()].map(({ reason, total, gaps, most, gapOfMost, what }) => {
      const op = this.#gaps.endedBy[gapOfMost];
      return {
        ...textOf(graph, reason),
        device: this.#gaps.device,
        totalNs: total,
        share: shareOf(total, idleNs),
        gaps,
        longest: {
          totalNs: most,
          ...(what === -1 ? {} : { event: referTo(graph, what) }),
          ...(op === -1 ? {} : { endedBy: referTo(graph, graph.device.event[op]) }),
        },
      };
    });
  }

  drains(idleNs: number): IdleDrain[] {
    const { graph } = this.#context;
    return [...this.#drains.values()].map(({ reason, total, gaps, most, what }) => {
      const { cause: _, ...text } = textOf(graph, reason);
      return {
        ...text,
        device: this.#gaps.device,
        gaps,
        totalNs: total,
        share: shareOf(total, idleNs),
        longest: { totalNs: most, call: referTo(graph, what.call), waitedFor: referTo(graph, what.waitedFor) },
      };
    });
  }
}

const shareOf = (ns: number, idleNs: number): number => (idleNs > 0 ? ns / idleNs : 0);

function addTo<T>(
  drafts: Map<number, Draft<T>>,
  key: number,
  reason: RawReason,
  gap: number,
  length: number,
  what: T,
): void {
  const draft = drafts.get(key);
  if (draft === undefined) {
    drafts.set(key, { reason, total: length, gaps: 1, lastGap: gap, most: length, gapOfMost: gap, what });
    return;
  }
  draft.total += length;
  if (draft.lastGap !== gap) draft.gaps++;
  draft.lastGap = gap;
  if (length <= draft.most) return;
  draft.most = length;
  draft.gapOfMost = gap;
  draft.what = what;
}
