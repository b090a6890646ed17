/** How far a graph may go beyond what the trace says. Absent is false. */
export interface GraphOptions {
  /** Only what the trace says: no inferred waits, and edges that lean on a heuristic hold nothing. The order inside graph launches stays. */
  readonly exact?: boolean;
  /** The default stream waits for all other streams of its device, and they for it (the legacy default stream of CUDA). */
  readonly legacyDefaultStream?: boolean;
  /** Which class device ops of some names are; the first rule that matches counts, before everything else. Absent is none. */
  readonly classRules?: readonly ClassRule[];
}

/** Device ops whose names match are of this class. */
export interface ClassRule {
  /** A regular expression that is looked for in the op's name as written. */
  readonly match: string;
  readonly class: 'kernel' | 'collective' | 'copy' | 'other';
}

/** These fields of a larger set of options, all present, so that equal choices share one graph. */
export const graphOptionsOf = (options: GraphOptions): Required<GraphOptions> => ({
  exact: options.exact === true,
  legacyDefaultStream: options.legacyDefaultStream === true,
  classRules: options.classRules ?? [],
});
