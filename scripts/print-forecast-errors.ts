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
import { KNOWN_COSTS, TOLD, simulatedTrace } from '../src/test-kit/simulated.ts';

const HOLDING: readonly (readonly [string, RandomOptions])[] = [
  ['nothing more', TOLD],
  ['graph launches', { ...TOLD, graphs: true }],
  ['workers', { ...TOLD, workers: true }],
  ['several launching threads', { ...TOLD, manyThreads: true }],
  ['dependent launches', { ...TOLD, dependentLaunches: true }],
  ['implicit synchronisation', { ...TOLD, implicitSyncs: true }],
  [
    'all of these',
    { ...TOLD, graphs: true, workers: true, manyThreads: true, dependentLaunches: true, implicitSyncs: true },
  ],
];

const isKernel = ({ kind }: Action): boolean => kind === 'launch' || kind === 'graph';
const isCopy = ({ kind }: Action): boolean => kind === 'copy' || kind === 'fill';
const CHANGES: readonly (readonly [kind: string, factor: number, isMeant: (action: Action) => boolean])[] = [
  ['kernel', 0.5, isKernel],
  ['kernel', 3, isKernel],
  ['copy', 0.5, isCopy],
];

/** Of one program: the forecast's and the run's end, in ns since the start of the unchanged trace. */
function compare(
  job: Job,
  graph: Graph,
  kind: string,
  factor: number,
  isMeant: (action: Action) => boolean,
): [number, number] {
  const window = wholeTrace(graph);
  const terms = termsOfWindows(graph, [window]);
  if (terms === undefined) throw new Error('a whole trace has no fixed borders');
  const change: Change = { kind: 'scale', select: { by: 'kind', text: kind, isPattern: false }, factor };
  const [told] = forecast(graph, [change], [window], terms).windows;
  const changed = changeJob(job, (action) => (isMeant(action) ? { kind: 'scale', factor } : KEEP));
  const run = buildGraph(simulatedTrace(changed));
  const shift = Number(run.trace.originUnixNs - graph.trace.originUnixNs);
  return [told.end - told.start, wholeTrace(run).end + shift - window.start];
}

const programs = Number(process.argv[2] ?? 100);
console.log('programs with | change | to 5 ns | to 1 % | beyond | worst');
for (const [name, options] of HOLDING) {
  const rows = CHANGES.map(() => ({ exact: 0, near: 0, beyond: 0, worst: 0 }));
  for (let seed = 1; seed <= programs; seed++) {
    const job: Job = { ...randomCase(seed, options).job, costs: KNOWN_COSTS };
    const graph = buildGraph(simulatedTrace(job));
    CHANGES.forEach(([kind, factor, isMeant], i) => {
      const [told, happened] = compare(job, graph, kind, factor, isMeant);
      const row = rows[i];
      if (row === undefined) return;
      const error = Math.abs(told - happened) / happened;
      if (Math.abs(told - happened) <= 5) row.exact++;
      else if (error <= 0.01) row.near++;
      else row.beyond++;
      row.worst = Math.max(row.worst, error);
    });
  }
  CHANGES.forEach(([kind, factor], i) => {
    const { exact, near, beyond, worst } = rows[i] ?? { exact: 0, near: 0, beyond: 0, worst: 0 };
    console.log(`${name} | ${kind} × ${factor} | ${exact} | ${near} | ${beyond} | ${(100 * worst).toFixed(1)} %`);
  });
}
