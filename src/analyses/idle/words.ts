import { escapeText } from '../../base/format.ts';
import { shortKernelNames } from '../../base/kernel-name.ts';
import type { UnexplainedCause } from '../../graph/segments.ts';
import type { IdleGroup, IdleResult, Reason } from './result.ts';

export const GROUP_WORDS: Readonly<Record<IdleGroup, string>> = {
  'host-late': 'the host was late',
  launch: 'launch latency',
  'device-order': 'order on the device',
  'other-device': 'another device ran',
  'other-rank': 'another rank was late',
  'before-first-op': 'before the first op',
  'after-last-op': 'after the last op',
  unexplained: 'unexplained',
};

/** The texts of a trace as they are printed. */
export type Names = (text: string) => string;

export function namesOf({ gaps, reasons, drains }: IdleResult, fullNames: boolean): Names {
  if (fullNames) return escapeText;
  const names = [
    ...reasons.flatMap(({ name }) => name ?? []),
    ...drains.map(({ longest }) => longest.waitedFor.name),
    ...gaps.flatMap(({ endedBy, after, drainedBy }) =>
      [endedBy, after, drainedBy?.waitedFor].map((op) => op?.name ?? ''),
    ),
  ];
  const short = shortKernelNames(names);
  return (text) => escapeText(short.get(text) ?? text);
}

/** `cudaMalloc in aten::empty`, `train.py(12): step`, `before aten::mm`. */
export function placeText({ cause, name, inOp, python, unexplained }: Partial<Reason>, names: Names): string {
  const own = name === undefined ? '' : names(name);
  if (cause === 'unexplained') {
    const seen = unexplained === undefined ? '' : unexplainedText(unexplained);
    return [seen, own === '' ? '' : `before ${own}`].filter((part) => part !== '').join(', ');
  }
  const parts: string[] = [];
  if (cause === 'host-gap' && own !== '') parts.push(`before ${own}`);
  else if (own !== '') parts.push(own);
  if (inOp !== undefined) parts.push(`in ${names(inOp)}`);
  if (python !== undefined) parts.push(parts.length === 0 ? names(python) : `at ${names(python)}`);
  return parts.join(' ');
}

/** That the device was idle need not be said here. */
function unexplainedText(cause: UnexplainedCause): string {
  switch (cause) {
    case 'other-lane-busy':
      return 'another stream ran';
    case 'device-idle':
      return '';
    case 'graph-rows-missing':
      return 'graph rows missing';
    case 'before-capture':
      return 'from before the trace';
    case 'no-launch':
      return 'no launch in the trace';
  }
}
