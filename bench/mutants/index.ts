// Mutants of the rules of semantics.md, section 1, and of the model's definitions (ARCHITECTURE.md): what `npm run mutants` applies.
import { BINDING_MUTANTS } from './binding.ts';
import { DEVICE_MUTANTS } from './device.ts';
import { DEVICE_TIME_MUTANTS } from './device-time.ts';
import { FLEET_PATH_MUTANTS } from './fleet-path.ts';
import { FLEET_MUTANTS } from './fleet.ts';
import { GROUP_MUTANTS } from './groups.ts';
import { HOST_MUTANTS } from './host.ts';
import { INFERRED_MUTANTS } from './inferred.ts';
import { LAUNCH_MUTANTS } from './launches.ts';
import type { Mutant } from './mutant.ts';
import { WAIT_MUTANTS } from './waits.ts';
import { WINDOW_MUTANTS } from './windows.ts';

export type { Mutant } from './mutant.ts';

export const MUTANTS: readonly Mutant[] = [
  ...WAIT_MUTANTS,
  ...HOST_MUTANTS,
  ...DEVICE_MUTANTS,
  ...DEVICE_TIME_MUTANTS,
  ...BINDING_MUTANTS,
  ...WINDOW_MUTANTS,
  ...INFERRED_MUTANTS,
  ...LAUNCH_MUTANTS,
  ...FLEET_MUTANTS,
  ...FLEET_PATH_MUTANTS,
  ...GROUP_MUTANTS,
];

export const ROWS = 32;

/** Rows of semantics.md that no mutant is about, and why. */
export const ROWS_WITHOUT: ReadonlyMap<number, string> = new Map([
  [18, 'the record lies in the trace of another process, which no id names: such a wait is unresolved, as in row 19'],
  [27, 'a lock inside the driver that is not documented: the graph has no such constraint'],
  [32, 'things that a trace does not hold: what they cost is unexplained, whose definitions have mutants of their own'],
]);
