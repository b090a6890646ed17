// Plain data with typed arrays as JSON text, and back. Only what `JSON` and these arrays can hold; −0 becomes 0.

type Column = Float64Array | Float32Array | Int32Array | Uint32Array | Uint16Array | Uint8Array;

const ARRAYS = {
  f64: Float64Array,
  f32: Float32Array,
  i32: Int32Array,
  u32: Uint32Array,
  u16: Uint16Array,
  u8: Uint8Array,
} as const;
const TYPE = '$column';

const typeOf = (column: Column): keyof typeof ARRAYS => {
  for (const [type, make] of Object.entries(ARRAYS)) if (column instanceof make) return type as keyof typeof ARRAYS;
  throw new Error('bug: no such column');
};

/** A column is written as `{ "$column": "i32", "values": [1, 2] }`; of its numbers NaN and the infinite ones as text. */
export const toColumnsJson = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    ArrayBuffer.isView(each) ? { [TYPE]: typeOf(each as Column), values: numbersOf(each as Column) } : each,
  );

function numbersOf(column: Column): (number | string)[] {
  const values: (number | string)[] = [];
  for (let i = 0; i < column.length; i++) values.push(Number.isFinite(column[i]) ? column[i] : String(column[i]));
  return values;
}

/** Throws a `SyntaxError` where the text is no JSON. `shared`: a text that is the same as one of its values, to hold that once. */
export const fromColumnsJson = (text: string, shared: (value: string) => string = (value) => value): unknown =>
  withColumns(JSON.parse(text), shared);

/** (A reviver would be called for each number of a column.) */
function withColumns(value: unknown, shared: (value: string) => string): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const column = columnOf(value);
  if (column !== undefined) return column;
  const parent = value as Record<string, unknown>;
  for (const key of Object.keys(parent)) {
    const child = parent[key];
    // `__proto__` is a key like any other in JSON, and never one of ours.
    if (typeof child === 'string') parent[key] = shared(child);
    else if (isParent(child) && key !== '__proto__') parent[key] = withColumns(child, shared);
  }
  return value;
}

const isParent = (value: unknown): boolean => typeof value === 'object' && value !== null;

function columnOf(value: object): Column | undefined {
  if (!(TYPE in value) || !('values' in value)) return undefined;
  const { [TYPE]: type, values } = value;
  if (typeof type !== 'string' || !Object.hasOwn(ARRAYS, type) || !Array.isArray(values)) return undefined;
  // Texts become the numbers that they spell.
  return new ARRAYS[type as keyof typeof ARRAYS](values as readonly number[]);
}
