/** Which part of the trace is asked about. `ARCHITECTURE.md`, "Windows", says what each means. */
export type WindowRequest =
  /** All complete steps where there are steps, else the whole trace. */
  | { readonly kind: 'default' }
  /** The numbers in `ProfilerStep#5`, both included. */
  | { readonly kind: 'steps'; readonly first: number; readonly last: number }
  /** Host annotations of exactly this name, or that match it as a regular expression; instances in time order from 0, both included. */
  | {
      readonly kind: 'annotation';
      readonly name: string;
      readonly match: boolean;
      readonly first?: number;
      readonly last?: number;
    }
  /** Nanoseconds since the trace's origin. */
  | { readonly kind: 'range'; readonly startNs: number; readonly endNs: number };
