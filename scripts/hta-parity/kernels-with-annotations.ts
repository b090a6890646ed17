import { type HtaRow, type RankRows, ranksOf } from './device-time.ts';
import { sixDigits, sumOf } from './duration-stats.ts';
import type { Parity, ParityRow } from './row.ts';
import { annotationsBefore } from './user-annotations.ts';

const METHOD = 'get_gpu_kernels_with_user_annotations';
const RULE =
  'rule: an op belongs to all annotations around its launch call, a backward thread’s to those of the thread that waited for it; ' +
  'HTA takes the innermost of the profiler’s rows that it overlaps on its stream, which know nothing of other threads';

interface Expected {
  readonly [rank: string]: null | {
    readonly 'by annotation': { readonly rows: readonly (readonly [name: string, count: number, sum: number])[] };
    readonly rows: {
      readonly rows: readonly (readonly [index: number, ...rest: number[], name: string, annotation: string])[];
    };
  };
}

export const kernelsWithAnnotations: Parity = (trace, expected) =>
  ranksOf(trace).flatMap((rank): ParityRow[] => {
    const head = { trace, method: METHOD };
    const table = (expected as Expected)[`rank ${rank.rank}`];
    const answer = annotationsBefore(rank);
    const ours = typeof answer === 'string' ? [] : answer.rows.filter(({ launched }) => launched.ops > 0);
    if (table === null || table === undefined) {
      const text = typeof answer === 'string' ? 'not applicable' : `${ours.length} annotations with device ops`;
      const why =
        typeof answer === 'string'
          ? `rule: ${answer}`
          : 'rule: by launch, so that no row of the profiler on the device is needed';
      return [{ ...head, quantity: `rank ${rank.rank}`, hta: 'none', ours: text, why }];
    }
    const labels = innermostByOverlap(rank);
    for (const [index, ...rest] of table.rows.rows) {
      // The list is cut, and says so in its last row.
      if (typeof index !== 'number') continue;
      const said = rest.at(-1);
      if (labels.get(index)?.name !== said) {
        throw new Error(`${trace} ${index}: HTA says ${said}, its rules ${labels.get(index)?.name}`);
      }
    }
    return table['by annotation'].rows.map(([name, count, sum]): ParityRow => {
      const own = [...labels.values()].filter((label) => label.name === name);
      if (own.length !== count || sumOf(own.map(({ us }) => us)) !== sum) {
        throw new Error(
          `${trace} ${name}: HTA ${count} of ${sum}, its rules ${own.length} of ${sumOf(own.map(({ us }) => us))}`,
        );
      }
      const row = ours.find((each) => each.name === name);
      const outside = typeof answer === 'string' ? undefined : answer.outside;
      const [ops, ns] =
        name === ''
          ? [outside?.ops ?? 0, outside?.opTimeNs ?? 0]
          : [row?.launched.ops ?? 0, row?.launched.opTimeNs ?? 0];
      const [hta, text] = [`${count} / ${sum}`, `${ops} / ${sixDigits(ns / 1000)}`];
      const quantity = `rank ${rank.rank} ${name === '' ? 'without annotation' : name}: kernels / their time (us)`;
      const why = hta === text ? '' : ops === count ? 'defect 12: times rounded to µs, starts up and ends down' : RULE;
      return { ...head, quantity, hta, ours: text, why };
    });
  });

interface Label {
  readonly name: string;
  readonly us: number;
}

/** By position of a GPU row: on each stream annotations are laid out from the longest to the shortest, and each takes what it overlaps. */
function innermostByOverlap({ session, kept }: RankRows): Map<number, Label> {
  const { events, tracks } = session.trace;
  const trackOf = new Map<number, string>();
  for (let e = 0; e < events.length; e++) {
    const track = tracks[events.track[e] as number];
    trackOf.set(events.position[e] as number, `${track?.pid} ${track?.tid}`);
  }
  const on = ({ position }: HtaRow): string => trackOf.get(position) ?? '';
  const annotations = kept
    .filter(({ category }) => category === 'gpu_user_annotation')
    .sort((a, b) => b.end - b.start - (a.end - a.start));
  const labels = new Map<number, Label>();
  for (const row of kept) {
    if (row.stream === -1) continue;
    let name = '';
    for (const each of annotations) {
      if (on(each) === on(row) && row.start < each.end && row.end > each.start) name = each.name;
    }
    labels.set(row.position, { name, us: row.end - row.start });
  }
  return labels;
}
