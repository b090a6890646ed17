import { type CombinationTime, type ClassTime, type TimeParts, WORK_CLASSES, type WorkClass } from './result.ts';

const COMPUTATION = 1 << WORK_CLASSES.indexOf('computation');
const COMMUNICATION = 1 << WORK_CLASSES.indexOf('communication');

/** `totals`: by set of classes, as of `timeByClasses`; their sum is the wall time. */
export function timePartsOf(totals: Float64Array): TimeParts {
  const [idleNs] = totals;
  const wallNs = sumWhere(totals, () => true);
  const shareOf = (ns: number): number => (wallNs > 0 ? ns / wallNs : 0);
  const communicationNs = sumWhere(totals, (set) => (set & COMMUNICATION) !== 0);
  const hiddenNs = sumWhere(totals, (set) => (set & COMMUNICATION) !== 0 && (set & COMPUTATION) !== 0);
  return {
    wallNs,
    busyNs: wallNs - idleNs,
    idleNs,
    idleShare: shareOf(idleNs),
    classes: WORK_CLASSES.map((name) => classTime(totals, name, shareOf)).filter(
      (row) => row.class !== 'other' || row.totalNs > 0,
    ),
    combinations: combinationsOf(totals, shareOf),
    ...(communicationNs > 0 ? { overlapShare: hiddenNs / communicationNs } : {}),
  };
}

function classTime(totals: Float64Array, name: WorkClass, shareOf: (ns: number) => number): ClassTime {
  const own = 1 << WORK_CLASSES.indexOf(name);
  const hiding = own === COMPUTATION ? ~COMPUTATION : COMPUTATION;
  const totalNs = sumWhere(totals, (set) => (set & own) !== 0);
  const overlappedNs = sumWhere(totals, (set) => (set & own) !== 0 && (set & hiding) !== 0);
  return { class: name, totalNs, share: shareOf(totalNs), exposedNs: totalNs - overlappedNs, overlappedNs };
}

function combinationsOf(totals: Float64Array, shareOf: (ns: number) => number): CombinationTime[] {
  return Array.from(totals, (totalNs, set) => ({ set, totalNs }))
    .filter(({ set, totalNs }) => set !== 0 && totalNs > 0)
    .sort((a, b) => b.totalNs - a.totalNs || a.set - b.set)
    .map(({ set, totalNs }) => ({
      classes: WORK_CLASSES.filter((_, bit) => (set & (1 << bit)) !== 0),
      totalNs,
      share: shareOf(totalNs),
    }));
}

function sumWhere(totals: Float64Array, isWanted: (set: number) => boolean): number {
  let sum = 0;
  for (let set = 0; set < totals.length; set++) if (isWanted(set)) sum += totals[set];
  return sum;
}
