/** Rows of a list that a command prints, unless `--limit` says otherwise. */
export const LIMITS = {
  report: 10,
  info: 20,
  sync: 40,
  'critical-path': 10,
  breakdown: 20,
  idle: 12,
  kernels: 20,
  ops: 20,
  communication: 20,
  launches: 20,
  counters: 20,
  annotations: 20,
  steps: 20,
  explain: 12,
  'what-if': 10,
  demo: 10,
  reduce: 10,
} as const;

/** What `--limit` does in a command, with its default: for its help. */
export function limitHelp(command: keyof typeof LIMITS): string {
  if (command === 'report' || command === 'demo') return 'rows of a list of --json at most (all)';
  if (command === 'explain') return `links of a chain and rows of a list at most (${LIMITS.explain})`;
  return `rows of a list at most (${LIMITS[command]}${command === 'info' ? '' : '; with --json all'})`;
}
