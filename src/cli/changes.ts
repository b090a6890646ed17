/** Flags of `what-if` as typed → changes. Every message names the flag and shows a right example. */
import type { OptionsOf } from '../analyses/registry.ts';
import { type Flags, durationOf, ensureRegex, quote, windowOf } from './args.ts';
import { UsageError } from './exit.ts';
import { findNearest } from './suggest.ts';

type AskedChange = OptionsOf<'what-if'>['changes'][number];
type Selector = Extract<AskedChange['change'], { readonly kind: 'remove' }>['select'];

const SELECTED_BY = ['name', 'kind', 'lane', 'annotation', 'python'] as const;
const KINDS = ['kernel', 'collective', 'copy', 'op', 'call'] as const;

export function changesOf(flags: Flags): readonly AskedChange[] {
  if (flags.balance !== undefined) {
    throw new UsageError(
      '--balance needs several ranks; give their folder, for example: longpole what-if job --balance',
    );
  }
  const changes: AskedChange[] = [
    ...(flags.scale ?? []).map(scaleOf),
    ...(flags.remove ?? []).map((text): AskedChange => ({
      text: `--remove ${shellText(text)}`,
      change: { kind: 'remove', select: selectorOf('--remove', text) },
    })),
    ...(flags.overlap ?? []).map((text): AskedChange => ({
      text: `--overlap ${shellText(text)}`,
      change: { kind: 'overlap', select: text === 'all' ? ALL_COLLECTIVES : selectorOf('--overlap', text) },
    })),
  ];
  if (flags.launchLatency !== undefined) {
    const ns = timeOf('--launch-latency', flags.launchLatency, '--launch-latency 0us');
    changes.push({ text: `--launch-latency ${flags.launchLatency}`, change: { kind: 'launch-latency', ns } });
  }
  if (flags.hostGaps === false) changes.push({ text: '--no-host-gaps', change: { kind: 'no-host-gaps' } });
  if (flags.graphLaunch !== undefined) {
    const shorterThanNs = timeOf('--graph-launch', flags.graphLaunch, '--graph-launch 20us');
    changes.push({ text: `--graph-launch ${flags.graphLaunch}`, change: { kind: 'graph-launch', shorterThanNs } });
  }
  if (changes.length > 0) return changes;
  throw new UsageError("nothing to change; for example: longpole what-if trace.json.gz --scale '/gemm|cutlass/=0.5'");
}

/** Of one trace, and of a folder of them. */
export function refuseRange(flags: Flags): void {
  if (windowOf(flags).kind !== 'range') return;
  throw new UsageError('--range has fixed borders, so nothing can make it shorter; take --step or --annotation');
}

const ALL_COLLECTIVES: Selector = { by: 'kind', text: 'collective', isPattern: false };

function scaleOf(text: string): AskedChange {
  const at = text.lastIndexOf('=');
  const factor = at === -1 ? undefined : factorOf(text.slice(at + 1).trim());
  if (factor === undefined) {
    const why = DIGITS.test(text.slice(at + 1).trim())
      ? 'has a factor of more than nine digits before or behind its point'
      : 'needs a factor of 0 or more';
    throw new UsageError(`--scale ${quote(text)} ${why}; for example --scale '/gemm/=0.5'`);
  }
  return {
    text: `--scale ${shellText(text)}`,
    change: { kind: 'scale', select: selectorOf('--scale', text.slice(0, at)), factor },
  };
}

/** A factor, however many digits it has. */
const DIGITS = /^(?:\d+(?:\.\d+)?|\.\d+)\s*%?$/;

/** `0.5` or `50%`. */
function factorOf(text: string): number | undefined {
  const [, digits, percent = ''] = /^(\d{1,9}(?:\.\d{1,9})?|\.\d{1,9})\s*(%?)$/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  return percent === '%' ? Number(digits) / 100 : Number(digits);
}

/** `/regex/`, an exact name, or either behind `kind:`, `lane:`, `annotation:` or `python:`. */
function selectorOf(flag: string, given: string): Selector {
  const [, prefix = '', rest = ''] = /^([a-z]+):(?!:)([\s\S]*)$/.exec(given) ?? [];
  const by = SELECTED_BY.find((each) => each === prefix) ?? 'name';
  const nearest = prefix === '' ? undefined : findNearest(prefix, SELECTED_BY);
  if (by === 'name' && prefix !== 'name' && nearest !== undefined) {
    throw new UsageError(`${flag} ${quote(given)}: no such way to choose; did you mean ${nearest}:${rest}?`);
  }
  const what = prefix === by ? rest : given;
  const pattern = /^\/([\s\S]*)\/$/.exec(what)?.[1];
  if (what === '' || pattern === '') {
    throw new UsageError(
      `${flag} ${quote(given)} names no ops; for example ${flag} '/gemm|cutlass/${EXAMPLE[flag] ?? ''}'`,
    );
  }
  if (pattern !== undefined) ensureRegex(flag, pattern);
  const kinds: readonly string[] = KINDS;
  if (by === 'kind' && pattern === undefined && !kinds.includes(what)) {
    const near = findNearest(what, KINDS);
    const hint = near === undefined ? `one of ${KINDS.join(', ')}` : `did you mean kind:${near}?`;
    throw new UsageError(`${flag} ${quote(given)}: no such kind; ${hint}`);
  }
  return { by, text: pattern ?? what, isPattern: pattern !== undefined };
}

const EXAMPLE: Readonly<Record<string, string>> = { '--scale': '=0.5' };

function timeOf(flag: string, text: string, example: string): number {
  const ns = durationOf(text.trim());
  if (ns === undefined) throw new UsageError(`${flag} ${quote(text)} is no time with its unit; for example ${example}`);
  return ns;
}

/** As it could be typed again. */
export const shellText = (text: string): string =>
  /^[\w./:=,@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
