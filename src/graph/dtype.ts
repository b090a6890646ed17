/** Bytes of an element, by the names that PyTorch's `dtype` and `Input type` args have, lower case, without `c10::`. */
const BYTES: Readonly<Record<string, number>> = {
  bool: 1,
  byte: 1,
  char: 1,
  'unsigned char': 1,
  'signed char': 1,
  uint8: 1,
  int8: 1,
  quint8: 1,
  qint8: 1,
  bits8: 1,
  // Several values share a byte, which is what PyTorch counts as an element.
  bits1x8: 1,
  bits2x4: 1,
  bits4x2: 1,
  float4_e2m1fn_x2: 1,
  float8_e5m2: 1,
  float8_e4m3fn: 1,
  float8_e5m2fnuz: 1,
  float8_e4m3fnuz: 1,
  float8_e8m0fnu: 1,
  fp8: 1,
  short: 2,
  'short int': 2,
  int16: 2,
  uint16: 2,
  'unsigned short': 2,
  bits16: 2,
  half: 2,
  float16: 2,
  fp16: 2,
  bfloat16: 2,
  bf16: 2,
  int: 4,
  int32: 4,
  uint32: 4,
  'unsigned int': 4,
  qint32: 4,
  float: 4,
  float32: 4,
  fp32: 4,
  complexhalf: 4,
  'complex<half>': 4,
  long: 8,
  'long int': 8,
  int64: 8,
  uint64: 8,
  'unsigned long': 8,
  double: 8,
  float64: 8,
  complexfloat: 8,
  'complex<float>': 8,
  complexdouble: 16,
  'complex<double>': 16,
};

/** Bytes of one element; `undefined` for a name that is not known, and for types whose elements are less than a byte (quint4x2, int4). */
export function bytesOfDtype(dtype: string): number | undefined {
  const plain = dtype
    .toLowerCase()
    .replaceAll('c10::', '')
    .replace(/^torch\./, '')
    .trim();
  return Object.hasOwn(BYTES, plain) ? BYTES[plain] : undefined;
}

/** Bytes of all tensors of `Input Dims` and `Input type`, as they are written; `undefined` where one of them is not told. */
export function bytesOfInputs(
  dims: string,
  types: string,
): { readonly bytes: number; readonly dtype: string } | undefined {
  const shapes = listOf(dims);
  const names = listOf(types);
  if (shapes === undefined || names === undefined || shapes.length === 0 || shapes.length !== names.length) {
    return undefined;
  }
  let bytes = 0;
  const seen = new Set<string>();
  for (let i = 0; i < shapes.length; i++) {
    const shape: unknown = shapes[i];
    const name: unknown = names[i];
    const size = typeof name === 'string' ? bytesOfDtype(name) : undefined;
    if (size === undefined || !Array.isArray(shape) || !shape.every((each) => Number.isSafeInteger(each))) {
      return undefined;
    }
    seen.add(name as string);
    bytes += (shape as number[]).reduce((product, each) => product * each, size);
  }
  return { bytes, dtype: [...seen].join(' + ') };
}

/** A list of the file as text; `undefined` where it is cut short or none. */
export function listOf(text: string): readonly unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : undefined;
  } catch {
    // A writer cuts long lists short: `[[1, 2], ...`.
    return undefined;
  }
}
