/** How much was compared, so that a proof that compares nothing does not look good. */
export interface ProofCounts {
  /** Starts of device ops, and ends of calls, whose constraints were compared. */
  starts: number;
  ends: number;
  /** Of those: moments of which the trace tells every constraint. */
  told: number;
  /** Constraints that had to be there and were, by kind. */
  readonly kinds: Map<string, number>;
  /** Edges by status. */
  readonly statuses: Map<string, number>;
  /** Moments with a binding constraint: it is the true one; it ties with it; it is marked ambiguous; the trace does not hold the true one. */
  bindings: number;
  sameBinding: number;
  tied: number;
  ambiguous: number;
  untold: number;
  /** Moments on paths; those that both paths pass; paths; those that are one to the window's start. */
  pathMoments: number;
  pathCompared: number;
  paths: number;
  wholePaths: number;
}

export const noCounts = (): ProofCounts => ({
  starts: 0,
  ends: 0,
  told: 0,
  kinds: new Map(),
  statuses: new Map(),
  bindings: 0,
  sameBinding: 0,
  tied: 0,
  ambiguous: 0,
  untold: 0,
  pathMoments: 0,
  pathCompared: 0,
  paths: 0,
  wholePaths: 0,
});

export function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
