import { describe, expect, test } from 'vitest';
import { instantOf, termsOfWindows } from '../graph/instants.ts';
import { segmentsBack } from '../graph/path.ts';
import { SEGMENT_KINDS } from '../graph/segments.ts';
import { type Job, NOISY_COSTS } from '../sim/program.ts';
import { dataParallel } from '../sim/programs/data-parallel.ts';
import { fsdp } from '../sim/programs/fsdp.ts';
import { moe } from '../sim/programs/moe.ts';
import { pipeline } from '../sim/programs/pipeline.ts';
import { seededRandom } from '../test-kit/random.ts';
import { randomJobs } from '../test-kit/random-jobs.ts';
import { type TrueRank, replayFull, trueJob } from '../test-kit/true-job.ts';
import { seeds } from '../test-kit/seeds.ts';
import { fromColumnsJson, toColumnsJson } from './columns-json.ts';
import { pathContextOf, skeletonWindows } from './skeleton-of.ts';
import { keptCode, partsOf } from './skeleton.ts';

/** The kept moments under the same ends. */
function replayKept({ skeleton }: TrueRank, endNs: readonly number[]): Float64Array {
  const { moments, entries } = skeleton;
  const times = moments.timeNs.slice();
  for (let kept = 0; kept < times.length; kept++) {
    const isEnd = moments.kind[kept] === keptCode('call-end');
    let latest = isEnd ? endNs[moments.subject[kept]] : -Infinity;
    for (let e = entries.first[kept]; e < entries.first[kept + 1]; e++) {
      expect(entries.from[e]).toBeLessThan(kept);
      latest = Math.max(latest, times[entries.from[e]] + entries.lagNs[e]);
    }
    if (latest !== -Infinity) times[kept] = latest;
  }
  return times;
}

function compare(rank: TrueRank, endNs: readonly number[]): void {
  const { skeleton, graph } = rank;
  const full = replayFull(rank, endNs);
  const kept = replayKept(rank, endNs);
  const windows = skeletonWindows(graph).filter(({ bounds }) => bounds.kind !== 'between');
  const terms = termsOfWindows(graph, windows) ?? [];
  for (let k = 0; k < kept.length; k++) {
    const isWindow = skeleton.moments.kind[k] === keptCode('window-end');
    if (skeleton.moments.kind[k] === keptCode('anchor')) continue;
    const wanted = isWindow
      ? instantOf(terms[skeleton.moments.subject[k]].end, full)
      : full[skeleton.moments.moment[k]];
    expect(kept[k]).toBe(wanted);
  }
}

const READY: Readonly<Record<string, () => Job>> = {
  'data-parallel': () => dataParallel({ ranks: 3, steps: 2, costs: NOISY_COSTS }),
  fsdp: () => fsdp({ ranks: 2, steps: 2, layers: 4 }),
  pipeline: () => pipeline({ ranks: 3, steps: 2, microbatches: 4 }),
  moe: () => moe({ ranks: 3, steps: 2, layers: 3 }),
};

const cases = (): (readonly [string, () => Job])[] => [...Object.entries(READY), ...randomJobs(seeds(20, 80))];

describe('kept moments are those of the full graph', () => {
  test.each(cases())('%s', (name, make) => {
    const random = seededRandom(name.length);
    for (const rank of trueJob(make()).ranks) {
      const measured = rank.calls.calls.map((call) => call.endNs);
      compare(rank, measured);
      for (let pass = 0; pass < 6; pass++) {
        const scale = 10 ** (2 + pass);
        compare(
          rank,
          measured.map((end) => Math.round(end + (random() - 0.5) * scale)),
        );
      }
    }
  });
});

describe('what an entry is made of', () => {
  test.each(cases())('%s', (_, make) => {
    for (const { skeleton, graph } of trueJob(make()).ranks) {
      const { entries, moments } = skeleton;
      const { firstPart, partKind, partNs } = partsOf(skeleton);
      const context = pathContextOf(graph);
      for (let k = 0; k < moments.kind.length; k++) {
        for (let e = entries.first[k]; e < entries.first[k + 1]; e++) {
          const parts = new Map<string, number>();
          let sum = 0;
          for (let p = firstPart[e]; p < firstPart[e + 1]; p++) {
            sum += partNs[p];
            parts.set(SEGMENT_KINDS[partKind[p]], partNs[p]);
          }
          expect(sum).toBe(Math.max(0, entries.lagNs[e]));
          if (e !== entries.bound[k] || moments.kind[k] === keptCode('window-end')) continue;
          const span = { start: moments.timeNs[entries.from[e]], end: moments.timeNs[k], thread: -1, annotated: false };
          const path = new Map<string, number>();
          for (const { kind, start, end } of segmentsBack(context, moments.moment[k], span)) {
            path.set(kind, (path.get(kind) ?? 0) + end - start);
          }
          expect(Object.fromEntries(parts)).toEqual(Object.fromEntries(path));
        }
      }
    }
  });
});

test('a skeleton is plain data', () => {
  const { skeleton } = trueJob(dataParallel({ steps: 2 })).ranks[0];
  expect(fromColumnsJson(toColumnsJson(skeleton))).toEqual(skeleton);
});

test('a few entries a call are kept, whatever the number of calls', () => {
  const entriesPerCall = (steps: number): number => {
    const { skeleton } = trueJob(dataParallel({ steps })).ranks[0];
    return skeleton.entries.from.length / skeleton.arrivalOf.length;
  };
  expect(entriesPerCall(12)).toBeLessThan(10);
  expect(entriesPerCall(12)).toBeLessThan(1.3 * entriesPerCall(4));
});
