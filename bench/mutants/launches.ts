// What is said of launches, of what waits in queues, of copies' bandwidth, and of collectives.
import type { Mutant } from './mutant.ts';

const LAUNCHES = 'src/analyses/launches/launches.test.ts';
const COUNTERS = 'src/analyses/counters/counters.test.ts';
const COMMUNICATION = 'src/analyses/communication/communication.test.ts';
const STEPS = 'src/graph/step-series.test.ts';
const EXPORT = 'src/session/overlay/write-counters.test.ts';

export const LAUNCH_MUTANTS: readonly Mutant[] = [
  {
    rule: 'launches: a delay is never below 0',
    file: 'src/analyses/launches/gather.ts',
    find: `delayNs[row] = Math.max(0, device.start[first] - host.end[by]);`,
    replace: `delayNs[row] = device.start[first] - host.end[by];`,
    tests: [LAUNCHES],
  },
  {
    rule: 'launches: a stream that still runs an earlier op is not idle',
    file: 'src/analyses/launches/gather.ts',
    find: `Math.max(host.end[by], busyUntil[first])`,
    replace: `host.end[by]`,
    tests: [LAUNCHES],
  },
  {
    rule: 'launches: a copy that was over before its call came back is not short',
    file: 'src/analyses/launches/compute.ts',
    find: `deviceOps[row] > 0 && waited[row] === 0 &&`,
    replace: `deviceOps[row] > 0 &&`,
    tests: [LAUNCHES],
  },
  {
    rule: 'launches: what stands on the path in launch calls counts, not all host work',
    file: 'src/analyses/launches/compute.ts',
    find: `if (op !== -1 && isLaunch(graph, op)) callsNs`,
    replace: `if (op !== -1) callsNs`,
    tests: [LAUNCHES],
  },
  {
    rule: 'launches: a blocked call waits from its own start',
    file: 'src/analyses/launches/compute.ts',
    find: `blockedNs += time[constraints.from[c]] - host.start[call];`,
    replace: `blockedNs += host.end[call] - host.start[call];`,
    tests: [LAUNCHES],
  },
  {
    rule: 'queue: an op before its call by the clock waits for no time',
    file: 'src/graph/queue-depth.ts',
    find: `from.push(Math.min(host.start[call], device.start[op]));`,
    replace: `from.push(host.start[call]);`,
    tests: [LAUNCHES, COUNTERS],
  },
  {
    rule: 'queue: a call does not find its own ops waiting',
    file: 'src/graph/queue-depth.ts',
    find: `const at = lowerBound(time, instant) - 1;`,
    replace: `const at = lowerBound(time, instant + 1) - 1;`,
    tests: [LAUNCHES],
  },
  {
    rule: 'queue: where it may be full, a graph launch counts once',
    file: 'src/graph/queue-depth.ts',
    find: `if (!heads.has(call)) heads.set(call, from.length);`,
    replace: `heads.set(from.length, from.length);`,
    tests: [LAUNCHES],
  },
  {
    rule: 'steps: a value weighs as long as it held',
    file: 'src/graph/step-series.ts',
    find: `weighted += length * value[i];`,
    replace: `weighted += value[i];`,
    tests: [STEPS],
  },
  {
    rule: 'steps: rounding leaves nothing behind',
    file: 'src/graph/step-series.ts',
    find: `if (open === 0) sum = 0;`,
    replace: ``,
    tests: [STEPS],
  },
  {
    rule: 'bandwidth: bytes ÷ duration where the row has none',
    file: 'src/graph/copy-bandwidth.ts',
    find: `return length > 0 ? bytes[i] / length : NaN;`,
    replace: `return NaN;`,
    tests: [COUNTERS],
  },
  {
    rule: 'bandwidth: each device is apart',
    file: 'src/graph/copy-bandwidth.ts',
    find: 'const key = `${on} ${name}`;',
    replace: 'const key = name;',
    tests: [COUNTERS],
  },
  {
    rule: 'communication: all kernels of one record are one call',
    file: 'src/analyses/communication/gather.ts',
    find: 'record !== -1 ? `record ${record}` :',
    replace: 'record !== -1 ? `op ${op}` :',
    tests: [COMMUNICATION],
  },
  {
    rule: 'communication: a capture says that the records before it were for a graph',
    file: 'src/analyses/communication/gather.ts',
    find: `if ((api.api[op] & Api.captureEnd) !== 0) open = [];`,
    replace: ``,
    tests: [COMMUNICATION],
  },
  {
    rule: 'communication: what a graph launches sums up no records',
    file: 'src/analyses/communication/gather.ts',
    find: `launch !== -1 && !isGraph &&`,
    replace: `launch !== -1 &&`,
    tests: [COMMUNICATION],
  },
  {
    rule: 'communication: a record counts for the next call only',
    file: 'src/analyses/communication/gather.ts',
    find: `found[call] = open.filter((record) => isCounted(graph, record)); open = [];`,
    replace: `found[call] = open.filter((record) => isCounted(graph, record));`,
    tests: [COMMUNICATION],
  },
  {
    rule: 'communication: sends and receives run against each other',
    file: 'src/analyses/communication/describe.ts',
    find: `isPair ? all.filter(({ name }) => /^send/i.test(name)) : all`,
    replace: `all`,
    tests: [COMMUNICATION],
  },
  {
    rule: 'communication: of an all-gather the bytes out count',
    file: 'src/analyses/communication/operation.ts',
    find: `return outBytes ?? times(inBytes);`,
    replace: `return inBytes ?? outBytes;`,
    tests: [COMMUNICATION],
  },
  {
    rule: 'communication: the kernel’s own args count before the record’s',
    file: 'src/analyses/communication/describe.ts',
    find: `const named = places.find(`,
    replace: `const named = places.findLast(`,
    tests: [COMMUNICATION],
  },
  {
    rule: 'communication: the totals are cut at the window',
    file: 'src/analyses/communication/compute.ts',
    find: `const communicating = clip(byClass[COLLECTIVE], start, end);`,
    replace: `const communicating = byClass[COLLECTIVE];`,
    tests: [COMMUNICATION],
  },
  {
    rule: 'export: a series ends with its window',
    file: 'src/session/overlay/write-counters.ts',
    find: `if ((last.get(name) ?? 0) !== 0) yield*`,
    replace: `if (last.get(name) === -1) yield*`,
    tests: [EXPORT],
  },
  {
    rule: 'export: times are reckoned from a row of the file',
    file: 'src/session/overlay/write-counters.ts',
    find: `timeNs - this.#anchor.startNs`,
    replace: `timeNs`,
    tests: [EXPORT],
  },
];
