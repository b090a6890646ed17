// What is said of calls of many ranks: which are one, how clocks stand, and who waited.
import type { Mutant } from './mutant.ts';

const CALLS = 'src/fleet/calls.test.ts';
const MATCH = 'src/fleet/match.test.ts';
const CLOCKS = 'src/fleet/clocks.test.ts';
const SIMULATED = 'src/fleet/match-simulated.test.ts';
const REAL = 'src/fleet/match-real.test.ts';

export const FLEET_MUTANTS: readonly Mutant[] = [
  {
    rule: 'calls: a list that was cut is completed only where it begins as that list does',
    file: 'src/fleet/groups.ts',
    find: 'begin.every((rank, i) => list[i] === rank)',
    replace: 'begin.length >= 0 && list.length > 0',
    tests: [CALLS],
  },
  {
    rule: 'calls: a group larger than any job is a lie',
    file: 'src/fleet/groups.ts',
    find: 'size <= MOST_RANKS',
    replace: 'size <= 2 ** 40',
    tests: [CALLS],
  },
  {
    rule: 'calls: a kernel that only its name tells of, and of no library, is of its own class',
    file: 'src/fleet/calls.ts',
    find: `&& !LIBRARY.test(name) ? 'custom'`,
    replace: `&& name === '' ? 'custom'`,
    tests: [CALLS],
  },
  {
    rule: 'calls: a split of zero counts also in a list that was cut',
    file: 'src/graph/collective-marks.ts',
    find: 'if (whole !== undefined) return whole.some((each) => each === 0);',
    replace: 'return (whole ?? []).some((each) => each === 0);',
    tests: [CALLS],
  },
  {
    rule: 'matching: an id that all calls share is none',
    file: 'src/fleet/match-key.ts',
    find: `ids.includes('') || areShared(ids)`,
    replace: `ids.includes('')`,
    tests: [MATCH],
  },
  {
    rule: 'matching: Seq that mostly rises by more than one is not of the group',
    file: 'src/fleet/match-key.ts',
    find: 'return byOne * 2 >= steps ? numbered(numbers) : undefined;',
    replace: 'return byOne <= steps ? numbered(numbers) : undefined;',
    tests: [MATCH],
  },
  {
    rule: 'matching: a shift counts where the second best is three times worse',
    file: 'src/fleet/shift.ts',
    find: 'next >= CLEARLY * Math.max(best.spreadNs, RESOLUTION_NS)',
    replace: 'next >= 0',
    tests: [MATCH],
  },
  {
    rule: 'matching: one key and another size is a finding',
    file: 'src/fleet/communicators.ts',
    find: 'a.sizeBytes !== b.sizeBytes',
    replace: 'a.sizeBytes === -1',
    tests: [MATCH],
  },
  {
    rule: 'matching: the size of an all-to-all is each rank’s own',
    file: 'src/fleet/communicators.ts',
    find: `op === 'all-to-all' ||\n  op === 'gather'`,
    replace: `op === 'gather'`,
    tests: [MATCH, REAL],
  },
  {
    rule: 'matching: without names one comes clearly last',
    file: 'src/fleet/match-order.ts',
    find: 'last.startNs - second.startNs <= CLEARLY * varies',
    replace: 'last.startNs < second.startNs',
    tests: [MATCH],
  },
  {
    rule: 'matching: without names, where the stream serves others, the last does not wait itself',
    file: 'src/fleet/match-order.ts',
    find: 'return isAll || ',
    replace: 'return true || ',
    tests: [SIMULATED],
  },
  {
    rule: 'matching: calls that order ties run at the same time',
    file: 'src/fleet/align.ts',
    find: 'overlap(a[x], b[y], clock));',
    replace: 'overlap(a[x], a[x], { ...clock, offset: 0, slope: 0 }));',
    tests: [MATCH],
  },
  {
    rule: 'matching: a stream without a name is one group only where the ends of all ranks agree',
    file: 'src/fleet/match-order.ts',
    find: 'refused === 0 && spreadShare <= ALIKE;',
    replace: 'refused >= 0 && !(spreadShare > 1e9);',
    tests: [MATCH],
  },
  {
    rule: 'clocks: what no number of calls averages out has room of its own',
    file: 'src/fleet/clock-link.ts',
    find: 'const off = known === undefined ? slackNs : 0;',
    replace: 'const off = 0;',
    tests: [CLOCKS],
  },
  {
    rule: 'clocks: below five calls only causality counts',
    file: 'src/fleet/clock-link.ts',
    find: 'const ENOUGH_CALLS = 5;',
    replace: 'const ENOUGH_CALLS = 1;',
    tests: [CLOCKS],
  },
  {
    rule: 'clocks: a drift that the data shows is taken out',
    file: 'src/fleet/clock-link.ts',
    find: 'const b = isShown ? slope.value : 0;',
    replace: 'const b = isShown ? 0 : 0;',
    tests: [SIMULATED],
  },
  {
    rule: 'clocks: ends of broadcasts do not tell them',
    file: 'src/fleet/symmetric.ts',
    find: `'barrier',`,
    replace: `'barrier', 'broadcast',`,
    tests: [CLOCKS, SIMULATED],
  },
  {
    rule: 'clocks: ranks of one host share its clock',
    file: 'src/fleet/clock-hosts.ts',
    find: 'const ENOUGH = 4;',
    replace: 'const ENOUGH = 400;',
    tests: [REAL],
  },
  {
    rule: 'row 29: a call waits for its last arrival; a margin below the uncertainty blames nobody',
    file: 'src/fleet/waits.ts',
    find: 'isTie: marginNs < uncertain,',
    replace: 'isTie: marginNs < 0,',
    tests: [CLOCKS],
  },
  {
    rule: 'waits: with unseen members nothing is surely transfer',
    file: 'src/fleet/waits.ts',
    find: 'const isTransfer = isComplete && last !== -1;',
    replace: 'const isTransfer = last !== -1 || isComplete;',
    tests: [CLOCKS, REAL],
  },
  {
    rule: 'waits: a send that ended before its receive came did not wait',
    file: 'src/fleet/waits.ts',
    find: 'if (!isEager) awaited[send]',
    replace: 'if (send !== -1) awaited[send]',
    tests: [CLOCKS],
  },
];
