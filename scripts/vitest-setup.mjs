// What the sources import but git does not hold is made before the first test, also where Vitest is started by hand.
import { ensureScanner } from './build-scanner.mjs';

export const setup = ensureScanner;
