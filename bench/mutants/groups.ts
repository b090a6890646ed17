// Pipeline bubbles and expert imbalance.
import type { Mutant } from './mutant.ts';

const BUBBLES = 'src/fleet/bubbles.test.ts';
const EXPERTS = 'src/fleet/experts.test.ts';

export const GROUP_MUTANTS: readonly Mutant[] = [
  {
    rule: 'bubbles: what a stage waits beside other work is none',
    file: 'src/fleet/bubbles.ts',
    find: `own.start.push(Math.max(arrivalNs[i], idleFrom));`,
    replace: `own.start.push(Math.min(arrivalNs[i], idleFrom));`,
    tests: [BUBBLES],
  },
  {
    rule: 'bubbles: a copy beside a receive is no work',
    file: 'src/fleet/other-work.ts',
    find: `if (isTransfer[op] === 1 || classOf[op] === 'copy') continue;`,
    replace: `if (isTransfer[op] === 1) continue;`,
    tests: [BUBBLES],
  },
  {
    rule: 'bubbles: a window that the traces of some stages lack does not count',
    file: 'src/fleet/bubbles.ts',
    find: `each.unseenNs <= MAY_LACK * wallNs`,
    replace: `each.unseenNs <= wallNs`,
    tests: [BUBBLES],
  },
  {
    rule: 'bubbles: what is unseen may make another stage the worst',
    file: 'src/fleet/bubbles.ts',
    find: `bubbleNs + unseenNs + (waits + worst.waits) * uncertaintyNs >= worst.bubbleNs`,
    replace: `bubbleNs + (waits + worst.waits) * uncertaintyNs >= worst.bubbleNs`,
    tests: [BUBBLES],
  },
  {
    rule: 'bubbles: what clocks may be off may make another stage the worst',
    file: 'src/fleet/bubbles.ts',
    find: `bubbleNs + unseenNs + (waits + worst.waits) * uncertaintyNs >= worst.bubbleNs`,
    replace: `bubbleNs + unseenNs >= worst.bubbleNs`,
    tests: [BUBBLES],
  },
  {
    rule: 'bubbles: sends that met no receive are told',
    file: 'src/fleet/bubbles.ts',
    find: `uncounted: calls - transfers,`,
    replace: `uncounted: 0,`,
    tests: [BUBBLES],
  },
  {
    rule: 'experts: stretches take turns',
    file: 'src/fleet/experts.ts',
    find: `const takesTurns = byWindow.every(({ length }) => length % 2 === 0);`,
    replace: `const takesTurns = false;`,
    tests: [EXPERTS],
  },
  {
    rule: 'experts: turns are told only where a step has an even number of all-to-alls',
    file: 'src/fleet/experts.ts',
    find: `const takesTurns = byWindow.every(({ length }) => length % 2 === 0);`,
    replace: `const takesTurns = true;`,
    tests: [EXPERTS],
  },
  {
    rule: 'experts: an all-to-all between two others parts them',
    file: 'src/fleet/experts.ts',
    find: `(ordinals?.get(next.members[i].call) ?? 0) - (ordinals?.get(call) ?? 0) === 1`,
    replace: `(ordinals?.get(next.members[i].call) ?? 0) - (ordinals?.get(call) ?? 0) >= 1`,
    tests: [EXPERTS],
  },
  {
    rule: 'experts: bytes are those of the all-to-all before',
    file: 'src/fleet/experts.ts',
    find: `stretches.map(({ from }) => from[i].bytesOut)`,
    replace: `stretches.map(({ to }) => to[i].bytesOut)`,
    tests: [EXPERTS],
  },
];
