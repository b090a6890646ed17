/**
 * The values of rows, in their order. A loop, since `Float64Array.from` with a function makes an object an element: most code runs once over a
 * trace, and is done before it has been compiled.
 */
export function pick(values: Float64Array, rows: ArrayLike<number>): Float64Array {
  const picked = new Float64Array(rows.length);
  for (let i = 0; i < picked.length; i++) picked[i] = values[rows[i]];
  return picked;
}
