/** Types of inputs that are no tensors, or that only hold some. */
const NO_DTYPE = /^(|Scalar|ScalarList|TensorList|GenericList|.*\[\])$/;

/** `[[20, 64], [64, 3], []]` and `["float", "float", "Scalar"]` as `[20,64] [64,3] float`: tensors with a shape, and each type once. */
export function inputsText(dims: string | undefined, types: string | undefined): string {
  const shapes = listOf(dims);
  const names = listOf(types)?.filter((type): type is string => typeof type === 'string' && !NO_DTYPE.test(type)) ?? [];
  const dtypes = new Set(names.map((name) => name.replace(/^c10::/, '')));
  return [...(shapes === undefined ? [dims ?? ''] : shapeTexts(shapes)), ...dtypes]
    .filter((text) => text !== '')
    .join(' ');
}

/** `undefined` where it is no list, as of a cut text. */
function listOf(text: string | undefined): unknown[] | undefined {
  if (text === undefined) return undefined;
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list : undefined;
  } catch {
    return undefined;
  }
}

/** Equal shapes in a row are counted: `2×[20,64]`. What has no shape is no tensor. */
function shapeTexts(shapes: readonly unknown[]): string[] {
  const runs: { text: string; count: number }[] = [];
  for (const shape of shapes) {
    const text = shapeText(shape);
    const last = runs.at(-1);
    if (last?.text === text) last.count++;
    else if (text !== '') runs.push({ text, count: 1 });
  }
  return runs.map(({ text, count }) => (count > 1 ? `${count}×${text}` : text));
}

/** A list of tensors is in round brackets. */
function shapeText(shape: unknown): string {
  if (!Array.isArray(shape) || shape.length === 0) return '';
  return shape.some((each) => Array.isArray(each)) ? `(${shapeTexts(shape).join(' ')})` : `[${shape.join(',')}]`;
}
