import { EVENT_KINDS, type EventKind } from '../../protocol/timeline.ts';

/** The colours of the canvas, from the page's style, so that light and dark are told in one place. */
export interface Palette {
  readonly paper: string;
  readonly ink: string;
  readonly dim: string;
  readonly line: string;
  readonly soft: string;
  readonly path: string;
  readonly halo: string;
  readonly hit: string;
  /** By kind code: the rectangle, and the words on it. */
  readonly fill: readonly string[];
  readonly on: readonly string[];
}

export function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const value = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return {
    paper: value('paper'),
    ink: value('ink'),
    dim: value('dim'),
    line: value('line'),
    soft: value('soft'),
    path: value('path'),
    halo: value('halo'),
    hit: value('hit'),
    fill: EVENT_KINDS.map((kind) => value(`kind-${kind}`)),
    on: EVENT_KINDS.map((kind) => value(kind === 'kernel' ? 'on-kernel' : 'on-other')),
  };
}

/** What a kind is called, in the legend and beside an event. */
export const KIND_NAMES: Readonly<Record<EventKind, string>> = {
  kernel: 'kernel',
  collective: 'collective',
  copy: 'copy or fill',
  'device-other': 'other device row',
  op: 'operator',
  call: 'runtime call',
  annotation: 'annotation',
  python: 'Python frame',
  sync: 'synchronisation row',
  other: 'other row',
};
