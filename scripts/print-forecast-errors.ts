// How far what-if is from the simulator's own run of the changed program, by what the programs may hold:
// node scripts/run-ts.mjs scripts/print-forecast-errors.ts [PROGRAMS]
import type { Change } from '../src/graph/changes.ts';
import { forecast } from '../src/graph/forecast.ts';
import { type Graph, buildGraph } from '../src/graph/graph.ts';
import { termsOfWindows } from '../src/graph/instants.ts';
import { wholeTrace } from '../src/graph/windows.ts';
import { KEEP, changeJob } from '../src/sim/change.ts';
import type { Action, Job } from '../src/sim/program.ts';
import { type RandomOptions, randomCase } from '../src/sim/random.ts';
import { JobRun } from '../src/sim/run.ts';
import { KNOWN_COSTS, MIXED, TOLD, simulatedTrace } from '../src/test-kit/simulated.ts';
import { untoldPart } from '../src/test-kit/told.ts';

const HOLDING: readonly (readonly [string, RandomOptions])[] = [
  ['nothing more', TOLD],
  ['graph launches', { ...TOLD, graphs: true }],
  ['workers', { ...TOLD, workers: true }],
  ['several launching threads', { ...TOLD, manyThreads: true }],
  ['dependent launches', { ...TOLD, dependentLaunches: true }],
  ['implicit synchronisation', { ...TOLD, implicitSyncs: true }],
  ['all of these', MIXED],
];

const isKernel = ({ kind }: Action): boolean => kind === 'launch' || kind === 'graph';
const isCopy = ({ kind }: Action): boolean => kind === 'copy' || kind === 'fill';
const CHANGES: readonly (readonly [kind: string, factor: number, isMeant: (action: Action) => boolean])[] = [
  ['kernel', 0.5, isKernel],
  ['kernel', 3, isKernel],
  ['copy', 0.5, isCopy],
];

interface Compared {
  /** The forecast's and the run's end, in ns since the start of the unchanged trace. */
  readonly told: number;
  readonly happened: number;
  /** Does the trace hold all that decides the changed run? */
  readonly isAllTold: boolean;
}

function compare(job: Job, graph: Graph, kind: string, factor: number, isMeant: (action: Action) => boolean): Compared {
  const window = wholeTrace(graph);
  const terms = termsOfWindows(graph, [window]);
  if (terms === undefined) throw new Error('a whole trace has no fixed borders');
  const change: Change = { kind: 'scale', select: { by: 'kind', text: kind, isPattern: false }, factor };
  const [told] = forecast(graph, [change], [window], terms).windows;
  const changed = changeJob(job, (action) => (isMeant(action) ? { kind: 'scale', factor } : KEEP));
  const run = buildGraph(simulatedTrace(changed));
  const shift = Number(run.trace.originUnixNs - graph.trace.originUnixNs);
  return {
    told: told.end - told.start,
    happened: wholeTrace(run).end + shift - window.start,
    isAllTold: untoldPart(new JobRun(job).truthOf(0), new JobRun(changed).truthOf(0)) === undefined,
  };
}

const programs = Number(process.argv[2] ?? 100);
console.log('programs with | change | all told: exact | not exact | not told: exact | to 1 % | beyond | worst');
for (const [name, options] of HOLDING) {
  const rows = CHANGES.map(() => ({ told: 0, wrong: 0, exact: 0, near: 0, beyond: 0, worst: 0 }));
  for (let seed = 1; seed <= programs; seed++) {
    const job: Job = { ...randomCase(seed, options).job, costs: KNOWN_COSTS };
    const graph = buildGraph(simulatedTrace(job));
    CHANGES.forEach(([kind, factor, isMeant], i) => {
      const { told, happened, isAllTold } = compare(job, graph, kind, factor, isMeant);
      const row = rows[i];
      if (row === undefined) return;
      const error = Math.abs(told - happened) / happened;
      const isExact = Math.abs(told - happened) <= 5;
      if (isAllTold && isExact) row.told++;
      else if (isAllTold) row.wrong++;
      else if (isExact) row.exact++;
      else if (error <= 0.01) row.near++;
      else row.beyond++;
      row.worst = Math.max(row.worst, error);
    });
  }
  CHANGES.forEach(([kind, factor], i) => {
    const row = rows[i];
    if (row === undefined) return;
    const counts = [row.told, row.wrong, row.exact, row.near, row.beyond].join(' | ');
    console.log(`${name} | ${kind} × ${factor} | ${counts} | ${(100 * row.worst).toFixed(1)} %`);
  });
}
