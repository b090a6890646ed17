import type { Change } from '../graph/changes.ts';
import type { Selector } from '../graph/selectors.ts';

/** A change in the words of the command line. */
export function textOfChange(change: Change): string {
  switch (change.kind) {
    case 'scale':
      return `--scale ${textOfSelector(change.select)}=${change.factor}`;
    case 'remove':
    case 'overlap':
      return `--${change.kind} ${textOfSelector(change.select)}`;
    case 'launch-latency':
      return `--launch-latency ${change.ns}ns`;
    case 'no-host-gaps':
      return '--no-host-gaps';
    case 'graph-launch':
      return `--graph-launch ${change.shorterThanNs}ns`;
  }
}

const textOfSelector = ({ by, text, isPattern }: Selector): string =>
  `${by === 'name' ? '' : `${by}:`}${isPattern ? `/${text}/` : text}`;
