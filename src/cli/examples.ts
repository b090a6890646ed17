/** Two ways to ask each command: printed by its `--help`, run by `examples.test.ts`. */
import type { LIMITS } from './limits.ts';

export interface Example {
  readonly line: string;
  /** What it answers. */
  readonly answers: string;
}

const example = (line: string, answers: string): Example => ({ line: `longpole ${line}`, answers });

/** `trace.json.gz` stands for any trace, `e-2105` for an event of it. */
export const EXAMPLES: Readonly<Record<keyof typeof LIMITS | 'export' | 'map', readonly [Example, Example]>> = {
  report: [
    example('trace.json.gz', 'what bounds a step, and where to look first'),
    example('trace.json.gz --html report.html', 'the same as a page with charts, to send'),
  ],
  info: [
    example('info trace.json.gz', 'the rank, devices, streams and steps of this file'),
    example('info trace.json.gz --diagnostics', 'is the data whole, or what is damaged, and where'),
  ],
  'critical-path': [
    example('critical-path trace.json.gz --step 1', 'what bounds one step'),
    example('critical-path trace.json.gz --overlay path.json.gz', 'the trace with the path marked, for Perfetto'),
  ],
  sync: [
    example('sync trace.json.gz --json', 'every record and wait, with what it waited for'),
    example('sync trace.json.gz --exact', 'only what the trace itself tells: nothing guessed from gaps'),
  ],
  breakdown: [
    example('breakdown trace.json.gz', 'how much communication is hidden behind computation'),
    example('breakdown trace.json.gz --steps 1..2', 'does one step idle more than another'),
  ],
  idle: [
    example('idle trace.json.gz', 'what the device waited for, and its longest gaps'),
    example('idle trace.json.gz --step 1 --limit 3', 'the same of one step, in short'),
  ],
  kernels: [
    example('kernels trace.json.gz --limit 5', 'the five kernels with most of the device’s time'),
    example('kernels trace.json.gz --step 1 --full-names', 'those of one step, with names as written'),
  ],
  ops: [
    example('ops trace.json.gz --by shape --sort device', 'which op, at which sizes, works the device most'),
    example('ops trace.json.gz --tree top-down', 'from steps and modules down to kernels'),
  ],
  communication: [
    example('communication trace.json.gz', 'which collectives are exposed, and at which bandwidth'),
    example('communication trace.json.gz --json', 'every call with its group, bytes and bandwidths'),
  ],
  launches: [
    example('launches trace.json.gz', 'does the host run ahead of the device'),
    example('launches trace.json.gz --min-call 20us --min-delay 1ms', 'lists calls and delays beyond other limits'),
  ],
  counters: [
    example('counters trace.json.gz', 'how full the queues are, and how fast copies run'),
    example('counters trace.json.gz --step 1 --json', 'every point of these series, to plot'),
  ],
  annotations: [
    example('annotations trace.json.gz', 'host time and device work of each annotation'),
    example("annotations trace.json.gz --match '^Optimizer'", 'what happens during those, one after the other'),
  ],
  steps: [
    example('steps trace.json.gz', 'which step is an outlier, and what made it one'),
    example("steps trace.json.gz --match '^Optimizer'", 'compares other repeated work than steps'),
  ],
  explain: [
    example('explain trace.json.gz e-2105', 'why this event began when it did'),
    example('explain trace.json.gz corr:428', 'the same of the call with this correlation'),
  ],
  'what-if': [
    example("what-if trace.json.gz --scale '/gemm/=0.5'", 'the step, were these kernels twice as fast'),
    example('what-if trace.json.gz --no-host-gaps --step 1', 'a step without host time between ops'),
  ],
  export: [
    example('export trace.json.gz --format folded --out stacks.txt', 'own host time by stack, for a flame graph'),
    example(
      'export trace.json.gz --format chrome --counters --out counters.json.gz',
      'the trace with these series, for Perfetto',
    ),
  ],
  map: [
    example('map job/rank-0.json.gz --out summaries', 'what the job needs of one rank; others elsewhere'),
    example('map job --out one-step --step 1', 'of all ranks of a folder, of one step'),
  ],
  reduce: [
    example('reduce summaries', 'the report of all ranks that were mapped'),
    example('reduce summaries --json', 'the same, to compute with'),
  ],
  demo: [
    example('demo', 'the report of a simulated job'),
    example('demo --ranks 8 --out demo-job', 'all ranks of that job, for longpole demo-job'),
  ],
};

/** Examples as help prints them: the answer behind the line, or below it where the line is long. */
export function exampleLines(examples: readonly Example[]): string {
  const column = Math.min(Math.max(...examples.map(({ line }) => line.length)), MAX_COLUMN) + 2;
  const lines = examples.map(({ line, answers }) => {
    const gap = line.length + 2 > column ? `\n${' '.repeat(column + 2)}` : ' '.repeat(column - line.length);
    return `  ${line}${gap}${answers}`;
  });
  return `Examples:\n${lines.join('\n')}\n`;
}

const MAX_COLUMN = 45;
