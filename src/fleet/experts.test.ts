import { describe, expect, test } from 'vitest';
import { mapRank } from '../library/map-rank.ts';
import { kinetoText } from '../sim/kineto.ts';
import { type MoeKnobs, moe } from '../sim/programs/moe.ts';
import { pipeline } from '../sim/programs/pipeline.ts';
import { JobRun } from '../sim/run.ts';
import { commCall, commGroup, commJob } from '../test-kit/comm-calls.ts';
import { readJson } from '../test-kit/draw.ts';
import { KNOWN_COSTS } from '../test-kit/simulated.ts';
import { expertTexts } from './expert-words.ts';
import { type ExpertImbalance, type ExpertSubject, findImbalance } from './experts.ts';
import { assembleJob, type Job, type JobMember } from './job.ts';
import { jobDocument } from './job-document.ts';
import { type JobReport, reportJob } from './job-report.ts';
import { matchCalls } from './match.ts';
import type { CommCall } from './model.ts';
import { decodeSummary, encodeSummary } from './rank-summary.ts';
import { renderJob } from './render-job.ts';

const PLAIN = { limit: 10, fullNames: false, style: (_: string, text: string) => text };

describe('written down', () => {
  const exchange = (start: number, end: number, got: number, sequence: number): CommCall =>
    commCall(start, end, { op: 'all-to-all', bytesOut: got, sequence });
  /** Two ranks, times in µs: the experts of rank 1 work thrice as long, on thrice the bytes, and the rest is even. */
  const first = [exchange(0, 10, 10, 1), exchange(20, 50, 20, 2), exchange(60, 70, 10, 3), exchange(80, 110, 20, 4)];
  const second = [exchange(0, 10, 30, 1), exchange(40, 50, 20, 2), exchange(60, 70, 30, 3), exchange(100, 110, 20, 4)];
  const subjectOf = (calls: readonly (readonly CommCall[])[], until = 200): ExpertSubject => {
    const ranks = commJob(calls);
    return {
      members: ranks.map((each) => ({ rank: each.rank, calls: each }) as unknown as JobMember),
      meetings: matchCalls(ranks).meetings,
      clocks: {
        offsetNs: new Float64Array(2),
        driftPpm: new Float64Array(2),
        component: new Int32Array(2),
        uncertaintyNs: () => 0,
      },
      windows: [{ label: 'w', startNs: 0, endNs: until * 1000, complete: true, ends: new Int32Array(2) }],
    };
  };
  const groups = new Map([[commGroup().key, commGroup()]]);

  test('of the stretches between all-to-alls every second is of one kind', () => {
    expect(findImbalance(subjectOf([first, second]), groups)).toEqual([
      {
        name: 'g',
        size: 2,
        exchanges: 4,
        uncounted: 0,
        kinds: [
          {
            after: 'odd',
            stretches: 2,
            imbalance: 1.5,
            bytesImbalance: 1.5,
            most: 1,
            lostNs: 20_000,
            ranks: [
              { rank: 0, betweenNs: 20_000, receivedBytes: 20 },
              { rank: 1, betweenNs: 60_000, receivedBytes: 60 },
            ],
          },
          {
            after: 'even',
            stretches: 1,
            imbalance: 1,
            bytesImbalance: 1,
            most: 0,
            lostNs: 0,
            ranks: [
              { rank: 0, betweenNs: 10_000, receivedBytes: 20 },
              { rank: 1, betweenNs: 10_000, receivedBytes: 20 },
            ],
          },
        ],
      },
    ]);
  });
  test('an odd number of them takes no turns that can be told', () => {
    const [found] = findImbalance(subjectOf([first.slice(0, 3), second.slice(0, 3)]), groups);
    expect(found?.kinds).toMatchObject([{ after: 'all', stretches: 2, imbalance: 40 / 30 }]);
  });
  test('what lies beside one that met nobody is no stretch', () => {
    const lone = commCall(12, 14, { op: 'all-to-all', sequence: 9, bytesOut: 10 });
    const [found] = findImbalance(subjectOf([[first[0], lone, ...first.slice(1)] as CommCall[], second]), groups);
    expect(found).toMatchObject({ exchanges: 4, uncounted: 1 });
    expect(found?.kinds.map(({ after, stretches }) => ({ after, stretches }))).toEqual([
      { after: 'odd', stretches: 1 },
      { after: 'even', stretches: 1 },
    ]);
  });
  test('bytes that are not told of all are not compared', () => {
    const untold = second.map((each) => ({ ...each, bytesOut: undefined }));
    const [found] = findImbalance(subjectOf([first, untold]), groups);
    expect(found?.kinds[0]).not.toHaveProperty('bytesImbalance');
    expect(found?.kinds[0]).toMatchObject({ imbalance: 1.5 });
  });
  test('a single one has no stretch, and a window only what is in it', () => {
    expect(findImbalance(subjectOf([first.slice(0, 1), second.slice(0, 1)]), groups)).toEqual([]);
    const [cut] = findImbalance(subjectOf([first, second], 55), groups);
    expect(cut).toMatchObject({ exchanges: 2, kinds: [{ after: 'odd', stretches: 1, lostNs: 10_000 }] });
  });
});

function jobOf(knobs: Partial<MoeKnobs>): Job {
  const job = moe({ costs: KNOWN_COSTS, skew: 0, gemmNs: 2_000_000, layers: 3, ...knobs });
  const run = new JobRun(job);
  const mapped = job.ranks.map((_, rank) => {
    const summary = decodeSummary(
      encodeSummary(mapRank(readJson(kinetoText(job, run.truthOf(rank)), `rank${rank}.json`))),
    );
    if (summary === undefined) throw new Error('no summary');
    return { name: `rank${rank}.json`, folder: 'job', summary };
  });
  return assembleJob(mapped, []);
}

function groupOf({ experts }: JobReport): ExpertImbalance {
  if (experts.status !== 'ok') throw new Error(experts.reason);
  const [found] = experts.result.groups;
  if (found === undefined) throw new Error('no group');
  return found;
}

describe('simulated experts', () => {
  test.each([
    [4, 1, 2],
    [4, 3, 3],
    [2, 0, 2],
  ])('of %d ranks rank %d has an expert with %d times the tokens', (ranks, rank, factor) => {
    const { kinds, exchanges, uncounted } = groupOf(reportJob(jobOf({ ranks, hot: { rank, factor } })));
    const known = (factor * ranks) / (factor + ranks - 1);
    expect({ exchanges, uncounted }).toEqual({ exchanges: 2 * 3 * 3, uncounted: 0 });
    const [uneven, even] = kinds;
    expect(uneven).toMatchObject({ after: 'odd', most: rank, stretches: 9 });
    expect(uneven?.imbalance).toBeCloseTo(known, 1);
    // Two products of 2 × 2 ms an expert's share, in nine layers.
    expect((uneven?.lostNs ?? 0) / (9 * 8_000_000 * (known - 1))).toBeCloseTo(1, 1);
    expect(even).toMatchObject({ after: 'even', stretches: 6 });
    expect(even?.imbalance).toBeLessThan(1.05);
  });

  test('even experts are even, with clocks apart too', () => {
    for (const clockSpreadNs of [0, 60_000_000_000]) {
      for (const { imbalance } of groupOf(reportJob(jobOf({ clockSpreadNs }))).kinds) {
        expect(imbalance).toBeLessThan(1.02);
      }
    }
  });
});

describe('in words', () => {
  const job = jobOf({ ranks: 2, steps: 2, hot: { rank: 1, factor: 3 } });

  test('the rank with most, and by how much', () => {
    const report = reportJob(job);
    expect(expertTextsOf(report)).toEqual([
      expect.stringMatching(
        /^experts ep, 2 ranks: between all-to-alls rank 1 takes 1\.[45]\d × the mean, in 6 stretches;/,
      ),
      expect.stringMatching(/^rank 0 \d+\.\d ms, rank 1 \d+\.\d ms$/),
      expect.stringMatching(/^in the others of its stretches 1\.0\d × the mean$/),
    ]);
    expect(renderJob(report, PLAIN)).toContain('\n  experts     experts ep, 2 ranks: ');
    const document = jobDocument(report).sections.find(({ id }) => id === 'experts');
    expect(document?.table?.rows).toHaveLength(4);
  });

  test('a job without experts says why in JSON, and nothing else', () => {
    const report = reportJob(job, { named: [{ kind: 'context', description: 'expert_parallel' }] });
    expect(report.experts).toEqual({ status: 'not-applicable', reason: 'no group is surely one of experts' });
    expect(renderJob(report, PLAIN)).not.toContain('experts');
  });
});

test('pipelines have no experts', () => {
  const made = pipeline({ ranks: 2, microbatches: 2, steps: 1 });
  const run = new JobRun(made);
  const mapped = made.ranks.map((_, rank) => ({
    name: `rank${rank}.json`,
    folder: 'job',
    summary: mapRank(readJson(kinetoText(made, run.truthOf(rank)), `rank${rank}.json`)),
  }));
  expect(reportJob(assembleJob(mapped, [])).experts.status).toBe('not-applicable');
});

function expertTextsOf({ experts }: JobReport): string[] {
  if (experts.status !== 'ok') throw new Error(experts.reason);
  return expertTexts(experts.result, { limit: 10 });
}
