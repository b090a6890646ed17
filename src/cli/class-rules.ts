/** `--rules rules.json`: which class device ops of some names are. */
import { readFile } from 'node:fs/promises';
import type { OptionsOf } from '../analyses/registry.ts';
import { UsageError } from './exit.ts';

type ClassRule = NonNullable<OptionsOf<'critical-path'>['classRules']>[number];

/** As people write them → as the engine knows them. */
const CLASSES: Readonly<Record<string, ClassRule['class']>> = {
  computation: 'kernel',
  communication: 'collective',
  copy: 'copy',
  other: 'other',
};
const EXAMPLE = '[{ "match": "^my_allreduce", "class": "communication" }]';
/** More than this is no file of rules. */
const MAX_BYTES = 1 << 20;

export async function readClassRules(path: string): Promise<readonly ClassRule[]> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`--rules ${path}: cannot be read (${error.code ?? error.message})`);
  });
  if (text.length > MAX_BYTES) throw new UsageError(`--rules ${path}: more than 1 MiB; for example ${EXAMPLE}`);
  const rules = parse(path, text);
  if (!Array.isArray(rules)) throw new UsageError(`--rules ${path}: not a list of rules; for example ${EXAMPLE}`);
  return rules.map((rule: unknown, at) => ruleOf(`--rules ${path}: rule ${at + 1}`, rule));
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`--rules ${path}: no JSON (${String(error)}); for example ${EXAMPLE}`);
  }
}

function ruleOf(where: string, rule: unknown): ClassRule {
  const {
    match,
    class: name,
    ...rest
  } = (typeof rule === 'object' && rule !== null ? rule : {}) as Record<string, unknown>;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw new UsageError(`${where} has an unknown field '${unknown}'; for example ${EXAMPLE}`);
  if (typeof match !== 'string') throw new UsageError(`${where} has no "match" text; for example ${EXAMPLE}`);
  const known = typeof name === 'string' && Object.hasOwn(CLASSES, name) ? CLASSES[name] : undefined;
  if (known === undefined) {
    throw new UsageError(`${where} needs a "class" out of ${Object.keys(CLASSES).join(', ')}; for example ${EXAMPLE}`);
  }
  try {
    RegExp(match);
  } catch (error) {
    throw new UsageError(
      `${where} is no regular expression: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  return { match, class: known };
}
