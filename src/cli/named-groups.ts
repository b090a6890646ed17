/** `--groups groups.json`: what some process groups are for. */
import { readFile } from 'node:fs/promises';
import { type NamedGroup, PARALLEL_KINDS } from '../fleet/parallel-groups.ts';
import { UsageError } from './exit.ts';

const EXAMPLE = '[{ "name": "1", "kind": "tensor" }]';
/** More than this is no file of groups. */
const MAX_BYTES = 1 << 24;

export async function readNamedGroups(path: string): Promise<readonly NamedGroup[]> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`--groups ${path}: cannot be read (${error.code ?? error.message})`);
  });
  if (text.length > MAX_BYTES) throw new UsageError(`--groups ${path}: more than 16 MiB; for example ${EXAMPLE}`);
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`--groups ${path}: no JSON (${String(error)}); for example ${EXAMPLE}`);
  }
  if (!Array.isArray(list)) throw new UsageError(`--groups ${path}: not a list of groups; for example ${EXAMPLE}`);
  return list.map((each: unknown, at) => groupOf(`--groups ${path}: group ${at + 1}`, each));
}

function groupOf(where: string, value: unknown): NamedGroup {
  const isObject = typeof value === 'object' && value !== null;
  const { kind, name, description, ranks, ...rest } = (isObject ? value : {}) as Record<string, unknown>;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw new UsageError(`${where} has an unknown field '${unknown}'; for example ${EXAMPLE}`);
  const known = PARALLEL_KINDS.find((each) => each === kind);
  if (known === undefined) {
    throw new UsageError(`${where} needs a "kind" out of ${PARALLEL_KINDS.join(', ')}; for example ${EXAMPLE}`);
  }
  const texts = [name, description].filter((each) => each !== undefined);
  const isList = ranks === undefined || (Array.isArray(ranks) && ranks.every((rank) => Number.isSafeInteger(rank)));
  if (!isList || texts.some((each) => typeof each !== 'string') || (texts.length === 0 && ranks === undefined)) {
    throw new UsageError(`${where} needs a "name", a "description" or "ranks"; for example ${EXAMPLE}`);
  }
  return {
    kind: known,
    ...(typeof name === 'string' ? { name } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    ...(Array.isArray(ranks) ? { ranks: ranks as number[] } : {}),
  };
}
