// The path, what it cannot explain, and windows.
import { CASES, LAGS, MORE_DEVICE, MORE_WINDOWS, type Mutant, PATH, WINDOWS } from './mutant.ts';

export const WINDOW_MUTANTS: readonly Mutant[] = [
  {
    rule: 'path: it goes through what bound, not through the longest work',
    file: 'src/graph/path.ts',
    find: `const constraint = binding[moment];`,
    replace: `const constraint = binding[moment] === -1 ? -1 : this.#graph.constraints.first[moment];`,
    tests: [CASES],
  },
  {
    rule: 'path: the cursor never moves forward',
    file: 'src/graph/path.ts',
    find: `if (time[source] < this.#cursor) this.#explain(moment, source, constraint);`,
    replace: `this.#cursor = Math.max(this.#cursor, time[moment]);
      if (time[source] < this.#cursor) this.#explain(moment, source, constraint);`,
    tests: [MORE_DEVICE],
  },
  {
    rule: 'path: segments partition the window',
    file: 'src/graph/path.ts',
    find: `const from = Math.max(start, this.#span.start);
    if (from >= this.#cursor) return;
    const bound`,
    replace: `const from = start;
    if (from >= this.#cursor) return;
    const bound`,
    tests: [WINDOWS],
  },
  {
    rule: 'path: the part of a launch inside its call is host work',
    file: 'src/graph/path.ts',
    find: `const returned = Math.min(host.end[call], time[moment]);
    this.#emit(LAUNCH`,
    replace: `const returned = time[source];
    this.#emit(LAUNCH`,
    tests: [PATH],
  },
  {
    rule: 'path: the time between ops of a thread is a gap, not nothing',
    file: 'src/graph/path.ts',
    find: `open === -1 ? HOST_GAP : HOST_WORK`,
    replace: `HOST_WORK`,
    tests: [PATH],
  },
  {
    rule: 'unexplained: a lag of more than ten times the typical',
    file: 'src/graph/unexplained.ts',
    find: `const UNEXPLAINED_FACTOR = 10;`,
    replace: `const UNEXPLAINED_FACTOR = 11;`,
    tests: [LAGS],
  },
  {
    rule: 'unexplained: not less than ten times',
    file: 'src/graph/unexplained.ts',
    find: `const UNEXPLAINED_FACTOR = 10;`,
    replace: `const UNEXPLAINED_FACTOR = 9;`,
    tests: [LAGS],
  },
  {
    rule: 'unexplained: and more than 10 µs',
    file: 'src/graph/unexplained.ts',
    find: `const UNEXPLAINED_NS = 10_000;`,
    replace: `const UNEXPLAINED_NS = 9_000;`,
    tests: [LAGS],
  },
  {
    rule: 'unexplained: not more than 11 µs',
    file: 'src/graph/unexplained.ts',
    find: `const UNEXPLAINED_NS = 10_000;`,
    replace: `const UNEXPLAINED_NS = 11_000;`,
    tests: [LAGS],
  },
  {
    rule: 'unexplained: the typical part of a long stream lag stays',
    file: 'src/graph/unexplained.ts',
    find: `return lag > unexplainedLimit(usual) ? lag - usual : 0;`,
    replace: `return lag > unexplainedLimit(usual) ? lag : 0;`,
    tests: [PATH],
  },
  {
    rule: 'unexplained: the typical part of a long launch stays',
    file: 'src/graph/unexplained.ts',
    find: `now - returned - Math.max(0, usual - inside)`,
    replace: `now - returned`,
    tests: [PATH],
  },
  {
    rule: 'unexplained: a launch call that took longer than typical has explained that much itself',
    file: 'src/graph/unexplained.ts',
    find: `const lag = now - time[from] - Math.max(0, inside - usual);`,
    replace: `const lag = now - time[from];`,
    tests: [MORE_WINDOWS],
  },
  {
    rule: 'unexplained: where another stream ran meanwhile it says so',
    file: 'src/graph/unexplained.ts',
    find: `otherLanesBusy(graph, op, from, to) * 2 >= to - from ? 'other-lane-busy' : 'device-idle'`,
    replace: `to < from ? 'other-lane-busy' : 'device-idle'`,
    tests: [PATH],
  },
  {
    rule: 'unexplained: where a graph left no rows it says so',
    file: 'src/graph/unexplained.ts',
    find: `if (lostGraphBefore(graph, op)) return 'graph-rows-missing';`,
    replace: ``,
    tests: [MORE_WINDOWS],
  },
  {
    rule: 'unexplained: an op without a launch says so',
    file: 'src/graph/path.ts',
    find: `began ? BEFORE_CAPTURE : NO_LAUNCH);`,
    replace: `BEFORE_CAPTURE);`,
    tests: [PATH],
  },
  {
    rule: 'windows: a step is complete when its device work is over',
    file: 'src/graph/steps.ts',
    find: `completion = Math.max(completion, span.end, span.deviceEnd);`,
    replace: `completion = Math.max(completion, span.end);`,
    tests: [WINDOWS],
  },
  {
    rule: 'windows: and its annotation',
    file: 'src/graph/steps.ts',
    find: `completion = Math.max(completion, span.end, span.deviceEnd);`,
    replace: `completion = Math.max(completion, span.deviceEnd === -Infinity ? span.end : span.deviceEnd);`,
    tests: [MORE_WINDOWS],
  },
  {
    rule: 'windows: and the step before it',
    file: 'src/graph/steps.ts',
    find: `completion = Math.max(completion, span.end, span.deviceEnd);`,
    replace: `completion = Math.max(span.end, span.deviceEnd);`,
    tests: [WINDOWS],
  },
  {
    rule: 'windows: a step begins where the one before was complete',
    file: 'src/graph/windows.ts',
    find: `const start = before === undefined ? step.start : before.completion;`,
    replace: `const start = step.start;`,
    tests: [WINDOWS],
  },
  {
    rule: 'windows: the launches of any thread count',
    file: 'src/graph/steps.ts',
    find: `const call = times.call[i];
    if (`,
    replace: `const call = times.call[i];
    if (event !== -1 && graph.host.threads[graph.host.thread[call]].track !== graph.trace.events.track[event]) continue;
    if (`,
    tests: [WINDOWS],
  },
  {
    rule: 'windows: a launch belongs to the step in which its call starts',
    file: 'src/graph/steps.ts',
    find: `i < times.call.length && times.start[i] < end; i++) {
    const call`,
    replace: `i < times.call.length && times.start[i] <= end; i++) {
    const call`,
    tests: [WINDOWS],
  },
  {
    rule: 'windows: a first step into which earlier work runs is not complete',
    file: 'src/graph/steps.ts',
    find: `const isWhole = i > 0 || !hasForeignWork(graph, span);`,
    replace: `const isWhole = i >= 0 || !hasForeignWork(graph, span);`,
    tests: [WINDOWS],
  },
  {
    rule: 'windows: nor is a step without device work where others have some',
    file: 'src/graph/steps.ts',
    find: `isWhole && (span.deviceOps > 0 || !anyDevice) &&`,
    replace: `isWhole && (span.deviceOps >= 0 || !anyDevice) &&`,
    tests: [WINDOWS],
  },
  {
    rule: 'windows: nor one that lost rows',
    file: 'src/graph/steps.ts',
    find: `&& span.lostLaunches === 0`,
    replace: ``,
    tests: [MORE_WINDOWS],
  },
  {
    rule: 'windows: more than 1 ms between two steps is a window of its own',
    file: 'src/graph/windows.ts',
    find: `const BETWEEN_NS = 1_000_000;`,
    replace: `const BETWEEN_NS = 2_000_000;`,
    tests: [WINDOWS],
  },
  {
    rule: 'windows: less is not',
    file: 'src/graph/windows.ts',
    find: `const BETWEEN_NS = 1_000_000;`,
    replace: `const BETWEEN_NS = 900_000;`,
    tests: [MORE_WINDOWS],
  },
  {
    rule: 'windows: of annotations inside each other the outermost counts',
    file: 'src/graph/steps.ts',
    find: `else if (last === undefined || start[event] >= start[last] + dur[last]) outer.push(event);`,
    replace: `else if (last !== undefined) outer.push(event);`,
    tests: [MORE_WINDOWS],
  },
  {
    rule: 'windows: of those on several threads, those of the thread with the most launches',
    file: 'src/graph/steps.ts',
    find: `if (count > most) [best, most]`,
    replace: `if (most === -1) [best, most]`,
    tests: [MORE_WINDOWS],
  },
  {
    rule: 'windows: the path begins at the latest of the work launched in the window and its main thread',
    file: 'src/graph/windows.ts',
    find: `deviceEnd >= span.end && deviceEnd === end ? opEndingAt(graph, span) : -1;`,
    replace: `deviceEnd > -Infinity ? opEndingAt(graph, span) : -1;`,
    tests: [MORE_WINDOWS],
  },
  {
    rule: 'windows: the main thread is the one with the most launches',
    file: 'src/graph/windows.ts',
    find: `anyLaunch ? launched[thread] :`,
    replace: `anyLaunch && most < -1 ? launched[thread] :`,
    tests: [WINDOWS],
  },
  {
    rule: 'windows: without launches, the one with the most time in ops',
    file: 'src/graph/windows.ts',
    find: `const anyLaunch = graph.coverage.launches.linked > 0;`,
    replace: `const anyLaunch = true;`,
    tests: [MORE_WINDOWS],
  },
  {
    rule: 'windows: the whole trace ends with the last device op, launched or not',
    file: 'src/graph/windows.ts',
    find: `for (let op = 0; op < length; op++) if (latest === -1 || end[op] >= end[latest]) latest = op;`,
    replace: `for (let op = 0; op < length; op++) if (latest === -1) latest = op;`,
    tests: [WINDOWS],
  },
];
