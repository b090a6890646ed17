/**
 * One JSON document as chunks. Objects near the top are spread over lines and a list has one element a line, so that a person can
 * read it, `grep` can search it, and a path of a million segments never becomes one string.
 */
export function* jsonChunks(document: object): Generator<string> {
  yield* spread(document, '');
  yield '\n';
}

const MAX_LEVEL = 3;

function* spread(value: unknown, indent: string): Generator<string> {
  const level = indent.length / 2;
  if (Array.isArray(value) && value.some((each) => typeof each === 'object')) {
    yield* spreadList(value, indent);
  } else if (isRecord(value) && level < MAX_LEVEL && Object.values(value).some((each) => typeof each === 'object')) {
    yield* spreadObject(value, indent);
  } else {
    yield JSON.stringify(value);
  }
}

function* spreadList(list: readonly unknown[], indent: string): Generator<string> {
  const inner = `${indent}  `;
  let before = '[';
  let chunk = '';
  for (const each of list) {
    chunk += `${before}\n${inner}${JSON.stringify(each)}`;
    before = ',';
    if (chunk.length < 65_536) continue;
    yield chunk;
    chunk = '';
  }
  yield `${chunk}\n${indent}]`;
}

function* spreadObject(object: Readonly<Record<string, unknown>>, indent: string): Generator<string> {
  const inner = `${indent}  `;
  let before = '{';
  for (const [key, value] of Object.entries(object)) {
    if (value === undefined) continue;
    yield `${before}\n${inner}${JSON.stringify(key)}: `;
    yield* spread(value, inner);
    before = ',';
  }
  yield `\n${indent}}`;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A list cut to `limit`, and its `total` beside it where something was cut. */
export function limitList<Name extends string, T>(
  name: Name,
  list: readonly T[],
  limit: number | undefined,
): { readonly [key: string]: unknown } {
  if (limit === undefined || list.length <= limit) return { [name]: list };
  return { [name]: list.slice(0, limit), [`${name}Total`]: list.length };
}
