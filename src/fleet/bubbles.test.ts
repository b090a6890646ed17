import { describe, expect, test } from 'vitest';
import { mapRank } from '../library/map-rank.ts';
import { kinetoText } from '../sim/kineto.ts';
import type { Job as SimulatedJob } from '../sim/program.ts';
import { dataParallel } from '../sim/programs/data-parallel.ts';
import { type PipelineKnobs, pipeline } from '../sim/programs/pipeline.ts';
import { JobRun } from '../sim/run.ts';
import { readJson, traceOf } from '../test-kit/draw.ts';
import { KNOWN_COSTS } from '../test-kit/simulated.ts';
import { type BubbleSubject, findBubbles, type PipelineBubbles } from './bubbles.ts';
import { bubbleTexts } from './bubble-words.ts';
import { assembleJob, type Job } from './job.ts';
import { jobDocument } from './job-document.ts';
import { type JobReport, reportJob } from './job-report.ts';
import { matchCalls } from './match.ts';
import { decodeSummary, encodeSummary, type RankSummary } from './rank-summary.ts';
import { renderJob } from './render-job.ts';
import { waitsOf } from './waits.ts';

const PLAIN = { limit: 10, fullNames: false, style: (_: string, text: string) => text };

const jobOf = (summaries: readonly RankSummary[]): Job =>
  assembleJob(
    summaries.map((summary, at) => ({ name: `rank${at}.json`, folder: 'job', summary })),
    [],
  );

describe('two stages, drawn', () => {
  const kernel = (op: string, peer: string): string =>
    `{Collective name=${op},In msg nelems=10,Out msg nelems=10,dtype=Float,Process Group Name=7,` +
    `Process Group Description=pipeline,Group size=2,Process Group Ranks=[0, 1],${peer}}`;
  // The gradient's receive begins beside a kernel, which is over at 40; a copy beside it ends no wait. The last send waits for its receiver.
  const first = `
    gpu 0.7  | forward@0+20 forward@25+15 backward@70+30 optimizer@190+10
    gpu 0.9  | Memcpy HtoD@50+2
    gpu 0.20 | ncclDevKernel_SendRecv@20+5${kernel('send', 'Dst Rank=1')}
             | ncclDevKernel_SendRecv@30+40${kernel('recv', 'Src Rank=1')}
             | ncclDevKernel_SendRecv@110+30${kernel('send', 'Dst Rank=1')}
  `;
  const second = `
    gpu 0.7  | loss@25+40 other@110+24 optimizer@190+10
    gpu 0.20 | ncclDevKernel_SendRecv@0+25${kernel('recv', 'Src Rank=0')}
             | ncclDevKernel_SendRecv@66+4${kernel('send', 'Dst Rank=0')}
             | ncclDevKernel_SendRecv@135+5${kernel('recv', 'Src Rank=0')}
  `;
  const { members } = jobOf([first, second].map((drawing) => mapRank(traceOf(drawing))));
  const calls = members.map((member) => member.calls);
  const clocks = {
    offsetNs: new Float64Array(2),
    driftPpm: new Float64Array(2),
    component: new Int32Array(2),
    uncertaintyNs: () => 0,
  };
  const { meetings } = matchCalls(calls);
  const groups = new Map(calls[0]?.groups.map((group) => [group.key, group]));
  const window = (label: string, start: number, end: number): BubbleSubject['windows'][number] => ({
    label,
    startNs: start * 1000,
    endNs: end * 1000,
    complete: true,
    ends: new Int32Array(2),
  });
  const bubblesIn = (...windows: BubbleSubject['windows']): PipelineBubbles => {
    const waits = waitsOf(calls, meetings, clocks);
    const [found] = findBubbles({ members, meetings, waits, clocks, windows }, groups);
    if (found === undefined) throw new Error('no pipeline');
    return found;
  };
  const usOf = ({ windows }: PipelineBubbles): number[][] =>
    windows.map(({ stages }) => stages.map(({ bubbleNs }) => bubbleNs / 1000));

  test('of a rank is known since when it did nothing else when its send or receive ended', () => {
    expect(calls.map((each) => each.calls.map(({ idleFromNs }) => (idleFromNs ?? NaN) / 1000))).toEqual([
      [20, 40, 110],
      [0, 66, 135],
    ]);
  });
  test('a stage waits from its last work, or the begin of the call, until its neighbour comes', () => {
    const found = bubblesIn(window('a', 0, 100), window('b', 100, 200));
    // Rank 0: 40 to 66 for the gradient, 110 to 135 for its receiver. Rank 1: 0 to 20.
    expect(usOf(found)).toEqual([
      [26, 20],
      [25, 0],
    ]);
    expect(found.stages).toEqual([
      { rank: 0, bubbleNs: 51_000, share: 0.255, unseenNs: 0, waits: 2 },
      { rank: 1, bubbleNs: 20_000, share: 0.1, unseenNs: 0, waits: 1 },
    ]);
    expect(found).toMatchObject({ name: '7', size: 2, worst: 0, isTie: false, transfers: 6, uncounted: 0 });
    expect(found.share).toBeCloseTo(0.1775, 12);
  });
  test('a wait across the border of two windows is in both', () => {
    expect(usOf(bubblesIn(window('a', 0, 50), window('b', 50, 130)))).toEqual([
      [10, 20],
      [36, 0],
    ]);
  });
  test('what is in no trace is told, counts nowhere where there is better, and makes a tie', () => {
    const late = window('late', 150, 300);
    const both = bubblesIn(window('a', 0, 150), late);
    expect(both.windows.map(({ counts }) => counts)).toEqual([true, false]);
    expect(both).toMatchObject({ unseenShare: 0, stages: [{ bubbleNs: 51_000, share: 0.34 }, { bubbleNs: 20_000 }] });
    const only = bubblesIn(window('all', 0, 250));
    expect(only).toMatchObject({ unseenShare: 0.2, worst: 0, isTie: true });
    expect(only.stages.map(({ unseenNs }) => unseenNs)).toEqual([50_000, 50_000]);
  });
  test('of equal stages none is the worst, and clocks that may be off make ties', () => {
    expect(bubblesIn(window('a', 0, 60))).toMatchObject({ worst: 0, isTie: true });
    const waits = waitsOf(calls, meetings, clocks);
    const windows = [window('a', 0, 200)];
    const found = (ns: number): boolean | undefined =>
      findBubbles({ members, meetings, waits, clocks: { ...clocks, uncertaintyNs: () => ns }, windows }, groups)[0]
        ?.isTie;
    // Three waits, and 31 µs between them.
    expect([found(10_000), found(11_000)]).toEqual([false, true]);
  });
  test('a group of which nothing was matched has no bubbles', () => {
    expect(findBubbles({ members, meetings: [], waits: [], clocks, windows: [] }, groups)).toEqual([]);
  });
});

function summariesOf(job: SimulatedJob): RankSummary[] {
  const run = new JobRun(job);
  return job.ranks.map((_, rank) => mapRank(readJson(kinetoText(job, run.truthOf(rank)), `rank${rank}.json`)));
}

function pipelineOf({ bubbles }: JobReport): PipelineBubbles {
  if (bubbles.status !== 'ok') throw new Error(bubbles.reason);
  const [found] = bubbles.result.pipelines;
  if (found === undefined) throw new Error('no pipeline');
  return found;
}

/** Stages of equal cost, beside which everything else is short. */
const even = (knobs: Partial<PipelineKnobs>): SimulatedJob =>
  pipeline({ costs: KNOWN_COSTS, gemmNs: 2_000_000, layersPerStage: 1, activationBytes: 1e6, steps: 3, ...knobs });

describe('simulated 1F1B', () => {
  test.each([
    [2, 2],
    [2, 6],
    [3, 3],
    [4, 4],
    [4, 8],
    [4, 2],
  ])('%d stages, %d micro-batches: the bubble of the schedule', (ranks, microbatches) => {
    const found = pipelineOf(reportJob(jobOf(summariesOf(even({ ranks, microbatches })))));
    const known = (ranks - 1) / (microbatches + ranks - 1);
    const counted = found.windows.filter(({ counts }) => counts);
    // Of the last step no trace has how long the last stage waited after its work.
    expect(counted).toHaveLength(2);
    for (const { stages } of counted) {
      for (const { share } of stages) expect(Math.abs(share - known)).toBeLessThan(0.02);
    }
    expect(Math.abs(found.share - known)).toBeLessThan(0.02);
    expect(found).toMatchObject({ size: ranks, uncounted: 0, unseenShare: expect.closeTo(0, 3) });
  });

  test('the slowest stage waits least', () => {
    for (const rank of [0, 1, 3]) {
      const straggler = { rank, kind: 'device', factor: 1.5 } as const;
      const { stages } = pipelineOf(reportJob(jobOf(summariesOf(even({ ranks: 4, microbatches: 8, straggler })))));
      const sorted = stages.toSorted((a, b) => a.bubbleNs - b.bubbleNs);
      expect(sorted[0]?.rank).toBe(rank);
      expect(sorted[0]?.share).toBeLessThan((sorted[1]?.share ?? 0) - 0.1);
    }
  });

  test('clocks apart move each wait by no more than they may be off', () => {
    const knobs = { ranks: 4, microbatches: 6, costs: { ...KNOWN_COSTS, deviceJitter: 0.1 } };
    const true_ = pipelineOf(reportJob(jobOf(summariesOf(even(knobs)))));
    const apart = pipelineOf(reportJob(jobOf(summariesOf(even({ ...knobs, clockSpreadNs: 90_000_000_000 })))));
    expect(apart.uncertaintyNs).toBeGreaterThan(true_.uncertaintyNs);
    apart.stages.forEach(({ rank, bubbleNs, waits }, i) => {
      const known = true_.stages[i];
      expect(known?.rank).toBe(rank);
      const may = Math.max(waits, known?.waits ?? 0) * (apart.uncertaintyNs + true_.uncertaintyNs);
      expect(Math.abs(bubbleNs - (known?.bubbleNs ?? 0))).toBeLessThanOrEqual(may);
    });
  });

  test('the same through the text of summaries, and in whatever order these come', () => {
    const job = jobOf(summariesOf(pipeline({ steps: 2 })));
    const again = jobOf(
      job.members.map(({ summary }) => {
        const decoded = decodeSummary(encodeSummary(summary));
        if (decoded === undefined) throw new Error('no summary');
        return decoded;
      }),
    );
    const reversed = assembleJob(job.members.toReversed(), []);
    const known = reportJob(job);
    expect(pipelineOf(known).share).toBeGreaterThan(0.2);
    expect(reportJob(again).bubbles).toEqual(known.bubbles);
    expect(reportJob(reversed).bubbles).toEqual(known.bubbles);
    expect(renderJob(reportJob(again), PLAIN)).toBe(renderJob(known, PLAIN));
  });
});

describe('in words', () => {
  const job = jobOf(summariesOf(even({ ranks: 2, microbatches: 2, steps: 2 })));

  test('the share, the worst stage, and what is not known', () => {
    const report = reportJob(job);
    expect(bubbleTextsOf(report)).toMatchObject([
      expect.stringMatching(/^pipeline pp, 2 stages: 3\d\.\d % of 1 window, on average over its stages; most on rank/),
      expect.stringMatching(/^rank 0 3\d\.\d %, rank 1 3\d\.\d %$/),
      '1 window not counted: incomplete, or not in the traces of all stages',
      expect.stringMatching(/^each wait to ±.* by the clocks$/),
    ]);
    expect(renderJob(report, PLAIN)).toContain('\n  bubbles     pipeline pp, 2 stages: 3');
    const document = jobDocument(report).sections.find(({ id }) => id === 'bubbles');
    expect(document?.table?.rows.map(([name, , rank]) => [name, rank])).toEqual([
      ['pp', '0'],
      ['pp', '1'],
      ['pp', '0'],
      ['pp', '1'],
    ]);
  });

  test('a single step lacks what the last stage waited behind its work', () => {
    const one = reportJob(jobOf(summariesOf(even({ ranks: 2, microbatches: 2, steps: 1 }))));
    expect(pipelineOf(one).windows.map(({ counts }) => counts)).toEqual([false]);
    expect(bubbleTextsOf(one).join('\n')).toMatch(/\d % more is in no trace, and may be bubble too/);
    expect(bubbleTextsOf(one)[0]).toContain('(a tie)');
  });

  test('of a stage without a trace nothing is said', () => {
    const report = reportJob(jobOf(summariesOf(even({ ranks: 3, microbatches: 3 })).slice(0, 2)));
    const { size, stages, uncounted } = pipelineOf(report);
    expect({ size, here: stages.length }).toEqual({ size: 3, here: 2 });
    // Three micro-batches of three steps, there and back, of the stage in the middle.
    expect(uncounted).toBe(18);
    expect(bubbleTextsOf(report)[0]).toMatch(/3 stages \(2 of 3 here\)/);
    expect(bubbleTextsOf(report).join('\n')).toContain('18 of 54 sends and receives met none that is known');
  });

  test('a job without pipelines says why in JSON, and nothing else', () => {
    const named = [{ kind: 'context', description: 'pipeline' }] as const;
    for (const report of [reportJob(job, { named }), reportJob(jobOf(summariesOf(dataParallel({ steps: 2 }))))]) {
      expect(report.bubbles).toEqual({ status: 'not-applicable', reason: 'no group is surely a pipeline' });
      expect(renderJob(report, PLAIN)).not.toContain('bubbles');
      expect(jobDocument(report).sections.map(({ id }) => id)).not.toContain('bubbles');
    }
  });
});

function bubbleTextsOf({ bubbles }: JobReport): string[] {
  if (bubbles.status !== 'ok') throw new Error(bubbles.reason);
  return bubbleTexts(bubbles.result, { limit: 10 });
}
