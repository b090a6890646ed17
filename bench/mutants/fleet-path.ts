// The path across ranks: skeletons, the job put together from them, and who holds the others up.
import type { Mutant } from './mutant.ts';

const SKELETON = 'src/fleet/skeleton.test.ts';
const REPLAY = 'src/fleet/job-replay.test.ts';
const REAL = 'src/fleet/job-path-real.test.ts';
const BALANCE = 'src/fleet/balance.test.ts';

export const FLEET_PATH_MUTANTS: readonly Mutant[] = [
  {
    rule: 'skeleton: the length of a call’s last kernel is no constraint, its meeting is',
    file: 'src/fleet/skeleton-sweep.ts',
    find: '!(this.#graph.constraints.kind[c] === OWN && this.#isEnd[moment] === 1)',
    replace: '!(this.#graph.constraints.kind[c] === OWN && this.#isEnd[moment] === 2)',
    tests: [SKELETON],
  },
  {
    rule: 'skeleton: an entry is left out only if another way is at least as long',
    file: 'src/fleet/skeleton-sweep.ts',
    find: 'before.lagNs + reach)',
    replace: 'before.lagNs + reach + 1_000_000)',
    tests: [SKELETON],
  },
  {
    rule: 'job: a gate opens with the last of its arrivals',
    file: 'src/fleet/job-replay.ts',
    find: 'if (at > opensNs[gate]) {',
    replace: 'if (opensNs[gate] === -Infinity) {',
    tests: [REPLAY],
  },
  {
    rule: 'job windows: the first begins with the first trace',
    file: 'src/fleet/job-windows.ts',
    find: 'return Math.min(...members.map((rank) => toJob(job.clocks, rank, 0)));',
    replace: 'return Math.max(...members.map((rank) => toJob(job.clocks, rank, 0)));',
    tests: [REAL],
  },
  {
    rule: 'job windows: without a complete meeting nobody is known to come last',
    file: 'src/fleet/job-windows.ts',
    find: 'if (!meetings.some(({ isComplete }) => isComplete))',
    replace: 'if (meetings.length === 0)',
    tests: [REAL],
  },
  {
    rule: 'roles: sends to ranks before and after are not alike',
    file: 'src/fleet/roles.ts',
    find: `peer < number ? '<' : '>'`,
    replace: `peer < number ? '-' : '-'`,
    tests: [BALANCE],
  },
  {
    rule: 'balance: the nth call of one rank stands for the nth of another as they were enqueued',
    file: 'src/fleet/balance.ts',
    find: '(ownCall[call] = own.callOrder[n])',
    replace: '(ownCall[call] = own.callOrder[own.callOrder.length - 1 - n])',
    tests: [BALANCE],
  },
  {
    rule: 'stragglers: a rank that began late is not called slow for it',
    file: 'src/fleet/stragglers.ts',
    find: `if (beganLast(evidence, rank)) return { ...about, verdict: 'late-start' };`,
    replace: ``,
    tests: [REAL],
  },
];
