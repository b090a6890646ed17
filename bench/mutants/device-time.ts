// How a device's time is divided: the classes of work that run, and what an idle device waited for.
import type { Mutant } from './mutant.ts';

const BREAKDOWN = 'src/analyses/breakdown/breakdown.test.ts';
const IDLE = 'src/analyses/idle/idle.test.ts';

export const DEVICE_TIME_MUTANTS: readonly Mutant[] = [
  {
    rule: 'device time: classes that run at once are told from each alone',
    file: 'src/graph/device-time.ts',
    find: `running |= (next[bit] & 1) << bit;`,
    replace: `running = Math.max(running, (next[bit] & 1) << bit);`,
    tests: [BREAKDOWN],
  },
  {
    rule: 'device time: each device is apart',
    file: 'src/graph/device-time.ts',
    find: `const of = device.lanes[device.lane[op]].device;`,
    replace: `const of = 0;`,
    tests: [BREAKDOWN],
  },
  {
    rule: 'device time: communication is hidden by computation, not by copies',
    file: 'src/analyses/breakdown/time-parts.ts',
    find: `const hiding = own === COMPUTATION ? ~COMPUTATION : COMPUTATION;`,
    replace: `const hiding = ~own;`,
    tests: [BREAKDOWN],
  },
  {
    rule: 'device time: a trace without device ops has no idle device',
    file: 'src/analyses/breakdown/compute.ts',
    find: `if (times.length === 0) return { status: 'not-applicable', reason: NO_DEVICE_OPS };`,
    replace: ``,
    tests: [BREAKDOWN],
  },
  {
    rule: 'idle: an op of no length ends no gap',
    file: 'src/analyses/idle/gaps.ts',
    find: `if (end[op] > start[op] && lanes`,
    replace: `if (end[op] >= start[op] && lanes`,
    tests: [IDLE],
  },
  {
    rule: 'idle: of ops that begin at once the one that was enqueued first tells why',
    file: 'src/analyses/idle/gaps.ts',
    find: `if (key[byStart[i]] < key[first]) first = byStart[i];`,
    replace: `if (key[byStart[i]] > key[first]) first = byStart[i];`,
    tests: [IDLE],
  },
  {
    rule: 'idle: before the first op and after the last one the place counts',
    file: 'src/analyses/idle/totals.ts',
    find: `place === 'between' ? GROUP_OF[cause] : IDLE_GROUPS.indexOf(place);`,
    replace: `GROUP_OF[cause];`,
    tests: [IDLE],
  },
  {
    rule: 'idle: a gap is divided where windows meet',
    file: 'src/analyses/idle/totals.ts',
    find: `const to = Math.min(end, this.#windows[this.#at].end);`,
    replace: `const to = end;`,
    tests: [IDLE],
  },
  {
    rule: 'idle: a synchronising call before a gap is found where the window cuts the gap',
    file: 'src/analyses/idle/walk-gaps.ts',
    find: `if (began >= start) return drainOf(`,
    replace: `if (began >= -Infinity) return drainOf(`,
    tests: [IDLE],
  },
  {
    rule: 'idle: a wait for another device is that device’s',
    file: 'src/analyses/idle/reason.ts',
    find: `return deviceOf(graph, event) === device ? UNEXPLAINED : OTHER_DEVICE;`,
    replace: `return UNEXPLAINED;`,
    tests: [IDLE],
  },
  {
    rule: 'idle: to allocate memory is told from other host work',
    file: 'src/analyses/idle/reason.ts',
    find: `return isAllocator(graph, event) ? ALLOCATOR : HOST_WORK;`,
    replace: `return HOST_WORK;`,
    tests: [IDLE],
  },
  {
    rule: 'idle: what is said of an unexplained part is true of the part inside of the gap',
    file: 'src/graph/path.ts',
    find: `const from = Math.max(time[moment] - part, this.#span.start);`,
    replace: `const from = time[moment] - part;`,
    tests: [IDLE],
  },
];
