// All numbers of HTA beside ours, trace by trace.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { commCompOverlap } from './comm-comp-overlap.ts';
import { communication } from './communication.ts';
import { ranksOf } from './device-time.ts';
import { idleTimeBreakdown } from './idle-time.ts';
import { kernelDurations } from './kernel-durations.ts';
import { kernelTable } from './kernel-table.ts';
import { kernelTypes } from './kernel-types.ts';
import { kernelsWithAnnotations } from './kernels-with-annotations.ts';
import { launchStats } from './launch-stats.ts';
import { memoryBandwidth } from './memory-bandwidth.ts';
import { opSequences } from './op-sequences.ts';
import { profilerSteps } from './profiler-steps.ts';
import { queueLength } from './queue-length.ts';
import type { Parity, ParityRow } from './row.ts';
import { temporalBreakdown } from './temporal-breakdown.ts';
import { userAnnotations } from './user-annotations.ts';

export const EXPECTED = join(process.env['LONGPOLE_TRACES'] ?? '../shared/traces', 'expected-hta');

/** What HTA said of a rank, or of all of them at once. */
interface Source {
  readonly file: string;
  readonly parity: Parity;
  /** Reads the ranks itself, so it is asked once a folder. */
  readonly isOfFolder: boolean;
}

const SOURCES: readonly Source[] = [
  { file: 'load_summary', parity: profilerSteps, isOfFolder: false },
  { file: 'temporal_breakdown', parity: temporalBreakdown, isOfFolder: true },
  { file: 'comm_comp_overlap', parity: commCompOverlap, isOfFolder: true },
  { file: 'kernel_breakdown', parity: kernelTypes, isOfFolder: true },
  { file: 'kernel_breakdown', parity: kernelTable, isOfFolder: true },
  { file: 'kernel_duration_distribution', parity: kernelDurations, isOfFolder: true },
  { file: 'idle_time_breakdown', parity: idleTimeBreakdown, isOfFolder: true },
  { file: 'user_annotation_breakdown', parity: userAnnotations, isOfFolder: true },
  { file: 'kernels_with_user_annotation', parity: kernelsWithAnnotations, isOfFolder: true },
  { file: 'aten_op_kernels_and_delay', parity: opSequences, isOfFolder: false },
  { file: 'cuda_kernel_launch_stats', parity: launchStats, isOfFolder: false },
  { file: 'queue_length', parity: queueLength, isOfFolder: false },
  { file: 'memory_bandwidth', parity: memoryBandwidth, isOfFolder: false },
  { file: 'communication', parity: communication, isOfFolder: false },
];

/** Folders below `expected-hta` that hold what HTA says of one trace. */
export function tracesWithNumbers(): string[] {
  return readdirSync(EXPECTED)
    .filter((trace) => existsSync(join(EXPECTED, trace, 'load_summary.json')))
    .sort();
}

/** Throws where a difference is not explained to HTA's last digit. */
export function parityOf(trace: string): ParityRow[] {
  const ranks = ranksOf(trace);
  return SOURCES.flatMap(({ file, parity, isOfFolder }) => {
    const path = join(EXPECTED, trace, `${file}.json`);
    if (!existsSync(path)) return [];
    const expected: unknown = JSON.parse(readFileSync(path, 'utf8'));
    const asked = isOfFolder ? ranks.slice(0, 1) : ranks;
    return asked.flatMap(({ session }) => parity(trace, expected, session));
  });
}
