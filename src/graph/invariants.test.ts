// What must not change an answer, and what must hold of each: semantics.md, section 2. Programs are random; a failure prints the seed.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SyncResult } from '../analyses/sync/result.ts';
import { pathFor, subjectOf, syncFor } from '../test-kit/answers.ts';
import { brokenPath, brokenSync } from '../test-kit/checks.ts';
import type { DrawOptions } from '../test-kit/draw.ts';
import { type Program, type Step, runProgram } from '../test-kit/program.ts';
import { edgesOf, pathTextOf, recordsOf, waitsOf } from '../test-kit/words.ts';

const RUNS = { numRuns: 60 };
const lane = fc.integer({ min: 0, max: 3 });
const event = fc.integer({ min: 1, max: 2 });

const step: fc.Arbitrary<Step> = fc.record({
  thread: fc.integer({ min: 1, max: 3 }),
  kind: fc.constantFrom('op', 'launch', 'copy', 'fetch', 'record', 'wait', 'event-sync', 'stream-sync', 'device-sync'),
  lane,
  event,
  gapNs: fc.integer({ min: 50, max: 3000 }),
  callNs: fc.integer({ min: 500, max: 5000 }),
  lagNs: fc.integer({ min: 4000, max: 9000 }),
  runNs: fc.integer({ min: 1000, max: 40_000 }),
});

/** One lane hands over to another: launch, record, wait, launch, or a part of it, by any threads. */
const handover = fc
  .tuple(fc.tuple(step, step, step, step), lane, lane, event, fc.subarray([0, 1, 2, 3], { minLength: 2 }))
  .map(([[work, record, wait, next], from, to, shared, kept]): Step[] => {
    const steps: Step[] = [
      { ...work, kind: 'launch', lane: from },
      { ...record, kind: 'record', lane: from, event: shared },
      { ...wait, kind: 'wait', lane: to, event: shared },
      { ...next, kind: 'launch', lane: to },
    ];
    return steps.filter((_, n) => kept.includes(n));
  });

const MAX_STEPS = 15;

/** Few enough launches that typical lags stay the defaults, so that an unrelated launch cannot move them. */
const program: fc.Arbitrary<Program> = fc.record({
  steps: fc
    .array(
      fc.oneof(
        step.map((each) => [each]),
        handover,
      ),
      { minLength: 1, maxLength: 8, size: 'max' },
    )
    .map((phrases) => startOnDevice(phrases.flat().slice(0, MAX_STEPS))),
  recordRows: fc.boolean(),
});

/** The first call launches, so that the trace has device work and its thread is one with launches. */
function startOnDevice(steps: Step[]): Step[] {
  return steps.map((each, n) => (n === 0 ? { ...each, kind: 'launch' } : each));
}

interface Answer {
  readonly edges: readonly string[];
  readonly records: readonly string[];
  readonly waits: string;
  readonly path: readonly string[];
  readonly inversions: unknown;
}

function answerTo(drawing: string, options: DrawOptions = {}): Answer {
  const subject = subjectOf(drawing, options);
  const [sync, path] = [syncFor(subject), pathFor(subject)];
  return {
    edges: edgesOf(sync),
    records: recordsOf(sync),
    waits: waitsOf(sync),
    path: pathTextOf(path, { bounds: true, ...options }),
    inversions: path.coverage.inversions,
  };
}

/** Of the busiest thread: it stays the main thread while others launch less. */
function mostLaunches({ steps }: Program): number {
  const counts = [1, 2, 3].map(
    (thread) =>
      steps.filter((each) => each.thread === thread && ['launch', 'copy', 'fetch'].includes(each.kind)).length,
  );
  return Math.max(...counts);
}

const asHip = (lines: readonly string[]): string[] => lines.map((line) => line.replaceAll(/\bcuda(?=[A-Z])/g, 'hip'));

describe('the same answer', () => {
  test('when asked twice', () => {
    fc.assert(
      fc.property(program, (each) => {
        const { drawing } = runProgram(each);
        expect(answerTo(drawing)).toEqual(answerTo(drawing));
      }),
      { numRuns: 20 },
    );
  });

  test('when rows are shuffled', () => {
    fc.assert(
      fc.property(program, fc.nat(), (each, shuffleSeed) => {
        const { drawing } = runProgram(each);
        expect(answerTo(drawing, { shuffleSeed })).toEqual(answerTo(drawing));
      }),
      RUNS,
    );
  });

  test('when the clock starts elsewhere', () => {
    const zero = fc.bigInt({ min: 1_500_000_000_000_000_000n, max: 1_900_000_000_000_000_000n });
    fc.assert(
      fc.property(program, zero, fc.boolean(), (each, zeroUnixNs, isRelative) => {
        const { drawing } = runProgram(each);
        const base = isRelative ? { baseUnixNs: zeroUnixNs - 5_000_000_000_123n } : {};
        expect(answerTo(drawing, { zeroUnixNs, ...base })).toEqual(answerTo(drawing));
      }),
      RUNS,
    );
  });

  test('when the calls have HIP names', () => {
    fc.assert(
      fc.property(program, (each) => {
        const { drawing } = runProgram(each);
        const cuda = answerTo(drawing);
        const hip = answerTo(drawing, { vendor: 'hip' });
        expect(hip).toEqual({ ...cuda, edges: asHip(cuda.edges), path: asHip(cuda.path) });
      }),
      RUNS,
    );
  });

  test('when unrelated streams and devices are added', () => {
    fc.assert(
      fc.property(program, fc.array(fc.nat({ max: MAX_STEPS - 1 }), { maxLength: 4 }), (each, unrelatedAfter) => {
        const alone = answerTo(runProgram(each).drawing);
        const together = answerTo(
          runProgram({ ...each, unrelatedAfter: unrelatedAfter.slice(0, mostLaunches(each) - 1) }).drawing,
        );
        const withoutCause = (lines: readonly string[]): string[] =>
          lines.map((line) => line.replace(/ \([a-z-]+\)/, ''));
        expect({ ...together, path: withoutCause(together.path) }).toEqual({
          ...alone,
          path: withoutCause(alone.path),
        });
      }),
      RUNS,
    );
  });
});

/** Sources on the sink's own lane say nothing that its order does not, nor does any but the last of one lane. */
function foundWaits({ edges }: SyncResult): string[] {
  const found = new Map<string, { id: number; text: string }>();
  for (const { kind, wait, source, sink } of edges) {
    if (kind !== 'stream-wait' || source === undefined || sink === undefined || source.lane === sink.lane) continue;
    const id = source.correlation ?? 0;
    if (id < (found.get(`${wait} ${source.lane}`)?.id ?? 0)) continue;
    const text = `wait ${wait}: ${source.name}#${id} -> ${sink.name}#${sink.correlation}`;
    found.set(`${wait} ${source.lane}`, { id, text });
  }
  return [...found.values()].map(({ text }) => text).sort();
}

describe('the truth of the program', () => {
  test('each stream wait that the machine obeyed is an edge, and no other is', () => {
    fc.assert(
      fc.property(program, (each) => {
        const { drawing, waits } = runProgram(each);
        expect(foundWaits(syncFor(subjectOf(drawing)))).toEqual([...waits].sort());
      }),
      RUNS,
    );
  });

  test('each stream synchronisation waits for the last op that was enqueued before it', () => {
    fc.assert(
      fc.property(program, (each) => {
        const { drawing, syncs } = runProgram(each);
        const found = syncFor(subjectOf(drawing)).edges.flatMap(({ kind, source, sink }) =>
          kind === 'stream-sync' && source !== undefined && source.via === undefined
            ? [`sync ${sink?.correlation}: ${source.name}#${source.correlation}`]
            : [],
        );
        expect(found.sort()).toEqual([...syncs].sort());
      }),
      RUNS,
    );
  });
});

describe('of every answer', () => {
  test('the segments partition the window, the replay is exact and coverage adds up', () => {
    fc.assert(
      fc.property(program, (each) => {
        const subject = subjectOf(runProgram(each).drawing);
        expect([...brokenPath(pathFor(subject)), ...brokenSync(syncFor(subject))]).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  test('also of any range', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(program, share, share, (each, a, b) => {
        const subject = subjectOf(runProgram(each).drawing);
        const { endNs: lastNs } = pathFor(subject).window;
        const startNs = Math.floor(Math.min(a, b) * (lastNs - 1));
        const endNs = Math.max(startNs + 1, Math.floor(Math.max(a, b) * lastNs));
        const path = pathFor(subject, { window: { kind: 'range', startNs, endNs } });
        expect(brokenPath(path)).toEqual([]);
        expect(path.window).toMatchObject({ startNs, endNs });
      }),
      RUNS,
    );
  });
});
