/** A change of one rule's code that some test of the rule must notice. Data, not a patch, so that it outlives edits around it. */
export interface Mutant {
  /** `row N: …` of `semantics.md`, section 1, or a definition of the model: `topic: …`. What the original does, in words. */
  readonly rule: string;
  readonly file: string;
  /** Must occur exactly once in the file; any run of white space stands for any other. */
  readonly find: string;
  readonly replace: string;
  /** The files of tests that are asked, in this order. */
  readonly tests: readonly string[];
}

const graphTest = (name: string): string => `src/graph/${name}.test.ts`;

export const CASES = graphTest('semantics-cases');
export const DEVICE = graphTest('semantics-device');
export const UNTOLD = 'src/graph/semantics-untold.test.ts';
export const HOST = graphTest('semantics-host');
export const LAGS = graphTest('semantics-lags');
export const PATH = graphTest('semantics-path');
export const WAITS = graphTest('semantics-waits');
export const WINDOWS = graphTest('semantics-windows');
export const INVARIANTS = graphTest('invariants');
/** Written for mutants that outlived the others. */
export const MORE_WAITS = graphTest('semantics-mutants-waits');
export const MORE_HOST = graphTest('semantics-mutants-host');
export const MORE_DEVICE = graphTest('semantics-mutants-device');
export const MORE_LAGS = graphTest('semantics-mutants-lags');
export const MORE_WINDOWS = graphTest('semantics-mutants-windows');
export const INFERRED = graphTest('semantics-mutants-inferred');
