import { analysisOf } from '../../src/analyses/registry.ts';
import type { Session } from '../../src/session/session.ts';
import { reasonOf } from './hta-rows.ts';
import type { Parity } from './row.ts';

const METHOD = 'get_profiler_steps';
const LAST = 'HTA drops the last step, also where it is whole; ours says of each whether it counts';
const NO_STEPS = 'HTA reads no device rows here, and numbers host rows all the same; ours says why it does not answer';

/** The steps that HTA's analyses see: the iterations of its rows. */
export const profilerSteps: Parity = (trace, expected, session) => {
  const loaded = (expected as Readonly<Record<string, { readonly iterations?: Readonly<Record<string, number>> }>>)[
    `rank ${session.trace.rank ?? 0}`
  ];
  if (loaded?.iterations === undefined) return [];
  const theirs = Object.keys(loaded.iterations)
    .map(Number)
    .filter((number) => number >= 0)
    .sort((a, b) => a - b);
  const ours = numbersOf(session);
  const text = (numbers: readonly number[]): string => numbers.join(', ') || 'none';
  const why = reasonOf(`${trace} ${METHOD}`, text(theirs), [
    { value: text(ours), why: '' },
    { value: text(ours.slice(0, -1)), why: LAST },
    { value: 'none', why: ours.length === 0 ? '' : NO_STEPS },
  ]);
  return [{ trace, method: METHOD, quantity: 'steps', hta: text(theirs), ours: text(ours), why }];
};

function numbersOf(session: Session): number[] {
  const outcome = session.run('steps', analysisOf('steps').defaults);
  if (outcome.status !== 'ok' || outcome.result.foundBy !== 'profiler-steps') return [];
  return outcome.result.rows.map(({ label }) => Number(/#(\d+)$/.exec(label)?.[1])).sort((a, b) => a - b);
}
