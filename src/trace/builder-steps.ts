import type { RawColumns } from './builder-columns.ts';
import type { CategoryId, StringId } from './ids.ts';
import { RowKind } from './kinds.ts';
import type { StringBuilder } from './strings.ts';
import type { Category } from './trace.ts';

const STEP = /^ProfilerStep\s*#\d+$/;
const ANNOTATION = 'user_annotation';

/**
 * Writers of 2021 recorded the profiler's steps as operators, later ones as annotations: they label time and are no work, so they are
 * annotations here whoever wrote them. Ops and annotations share a side table, so that only the category changes.
 */
export function stepsAreAnnotations(rows: RawColumns, categories: Category[], strings: StringBuilder): void {
  const isOp = categories.map(({ kind }) => kind === RowKind.op);
  if (!isOp.includes(true)) return;
  const isStep = stepNames(strings);
  if (isStep === undefined) return;
  let annotation = -1;
  for (let row = 0; row < rows.length; row++) {
    if (isStep[rows.name[row]] === 0 || !isOp[rows.category[row]]) continue;
    if (annotation === -1) annotation = idOf(categories);
    rows.category[row] = annotation;
  }
}

/** By text: 1 where it names a step; undefined where none does. */
function stepNames(strings: StringBuilder): Uint8Array | undefined {
  const isStep = new Uint8Array(strings.length);
  let isAny = false;
  for (let id = 0; id < strings.length; id++) {
    if (!STEP.test(strings.text(id as StringId))) continue;
    isStep[id] = 1;
    isAny = true;
  }
  return isAny ? isStep : undefined;
}

function idOf(categories: Category[]): CategoryId {
  const known = categories.findIndex(({ name }) => name === ANNOTATION);
  if (known !== -1) return known as CategoryId;
  categories.push({ name: ANNOTATION, kind: RowKind.annotation });
  return (categories.length - 1) as CategoryId;
}
