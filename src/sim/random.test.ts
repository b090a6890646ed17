import { describe, expect, test } from 'vitest';
import { readJson } from '../test-kit/draw.ts';
import { kinetoText, kinetoTrace } from './kineto.ts';
import { writtenCorrelation } from './kineto-options.ts';
import { randomCase } from './random.ts';
import { JobRun } from './run.ts';
import { ItemKind, Kind, type RankTruth, timeOf } from './truth.ts';

const SEEDS = Array.from({ length: 200 }, (_, seed) => seed + 1);

const CATEGORIES = [
  /^cpu_op$/,
  /^cuda_(runtime|driver)$/,
  /^user_annotation$/,
  /^python_function$/,
  /^(kernel|gpu_mem)/,
];

const truthsOf = (seed: number): RankTruth[] => {
  const run = new JobRun(randomCase(seed).job);
  return Array.from({ length: run.rankCount }, (_, rank) => run.truthOf(rank));
};

/** What is wrong with a truth, in words. */
function faults(truth: RankTruth): string[] {
  const { items, constraints, meeting, meetings } = truth;
  const found: string[] = [];
  for (let item = 0; item < items.length; item++) {
    const [start, end] = [items.start[item], items.end[item]];
    if (!(start <= end)) found.push(`item ${item} runs from ${start} to ${end}`);
    if (items.kind[item] === ItemKind.annotation || items.kind[item] === ItemKind.frame) continue;
    for (const moment of [2 * item, 2 * item + 1]) {
      const time = timeOf(truth, moment);
      const first = constraints.first[moment];
      let latest = -Infinity;
      for (let c = first; c < first + constraints.count[moment]; c++) {
        const from = constraints.from[c];
        const met = from === -1 ? meetings[meeting[item]] : undefined;
        const place = met?.ranks.indexOf(truth.rank) ?? -1;
        const others = [...(met?.arrivals ?? [])].filter((_, other) => other !== place);
        const source = met === undefined ? timeOf(truth, from) : Math.max(...others);
        // Of a rooted meeting only the root's arrival counts.
        if (met !== undefined && constraints.kind[c] !== Kind.collective) found.push(`moment ${moment}: no source`);
        if (source + constraints.lag[c] > time && met === undefined) found.push(`moment ${moment} comes too early`);
        if (constraints.lag[c] < 0) found.push(`moment ${moment} has a negative lag`);
        latest = Math.max(latest, met === undefined ? source + constraints.lag[c] : time);
      }
      if (constraints.count[moment] === 0) continue;
      if (latest !== time) found.push(`moment ${moment} comes at ${time}, not at ${latest}`);
      const bound = constraints.binding[moment];
      if (bound < first || bound >= first + constraints.count[moment]) found.push(`moment ${moment} has no binding`);
    }
  }
  return found;
}

describe('random programs', () => {
  test('every moment comes exactly when its constraints allow', () => {
    for (const seed of SEEDS) for (const truth of truthsOf(seed)) expect(faults(truth), `seed ${seed}`).toEqual([]);
  });

  test('the same seed makes the same trace', () => {
    for (const seed of SEEDS.slice(0, 40)) {
      const texts = [0, 1].map(() => {
        const { job, kineto } = randomCase(seed);
        return kinetoText(job, new JobRun(job).truthOf(0), kineto);
      });
      expect(texts[0], `seed ${seed}`).toBe(texts[1]);
    }
  });

  test('traces are JSON, our reader finds no fault in them, and rows stand where the plan says', () => {
    for (const seed of SEEDS) {
      const { job, kineto } = randomCase(seed);
      const truth = new JobRun(job).truthOf(0);
      const { plan, chunks } = kinetoTrace(job, truth, kineto);
      const text = [...chunks].join('');
      const { traceEvents } = JSON.parse(text) as { traceEvents: { cat?: string; args?: { correlation?: number } }[] };
      const faultsFound = readJson(text).diagnostics.map(({ kind }) => kind);
      // Record rows of before CUDA 12.8 have no time.
      expect(
        faultsFound.filter((kind) => kind !== 'no-timing'),
        `seed ${seed}`,
      ).toEqual([]);
      const { items, syncs, records } = truth;
      const misplaced: string[] = [];
      const check = (position: number, cat: RegExp, correlation: number): void => {
        if (position === -1) return;
        const row = traceEvents[position];
        if (!cat.test(row.cat ?? '')) misplaced.push(`row ${position}: ${row.cat}`);
        const id = correlation === -1 ? -1 : writtenCorrelation(correlation, kineto);
        if ((row.args?.correlation ?? -1) !== id) misplaced.push(`row ${position}: not of ${correlation}`);
      };
      for (let item = 0; item < items.length; item++) {
        check(plan.positionOf[item], CATEGORIES[items.kind[item]], items.correlation[item]);
      }
      syncs.forEach(({ call }, s) => check(plan.syncPosition[s], /^cuda_sync$/, items.correlation[call]));
      records.forEach(({ call }, r) => check(plan.recordPosition[r], /^cuda_event$/, items.correlation[call]));
      expect(misplaced, `seed ${seed}`).toEqual([]);
    }
  });

  test('all that a program may hold occurs', () => {
    const kinds = new Set<number>();
    const actions = new Set<string>();
    let ranks = 0;
    for (const seed of SEEDS) {
      for (const truth of truthsOf(seed)) {
        ranks = Math.max(ranks, truth.rank + 1);
        for (let c = 0; c < truth.constraints.kind.length; c++) kinds.add(truth.constraints.kind[c]);
        for (const action of truth.actions) if (action !== undefined) actions.add(action.kind);
      }
    }
    expect(ranks).toBe(3);
    expect([...kinds].sort((a, b) => a - b)).toEqual(Object.values(Kind));
    expect([...actions].sort()).toMatchInlineSnapshot(`
      [
        "allocate",
        "annotation",
        "capture-begin",
        "capture-end",
        "collective",
        "copy",
        "device-sync",
        "event-sync",
        "fill",
        "frame",
        "graph",
        "launch",
        "op",
        "poll",
        "query",
        "receive",
        "record",
        "send",
        "stream-sync",
        "wait",
      ]
    `);
  });
});
