import { EVENT_KINDS, type EventKind } from '../../protocol/timeline.ts';
import { mixed } from '../timeline/shades.ts';
import { pixelOf } from './strips.ts';

/** How much of a rectangle is covered by events, in steps that can be told apart. */
export const SHADES = [0.4, 0.6, 0.8, 1] as const;
/** What is not on the path, where it is dimmed. */
const FAINT = 0.14;

/** The colours of the canvas, from the page's style, so that light and dark are told in one place. */
export interface Palette {
  readonly paper: string;
  readonly ink: string;
  readonly dim: string;
  readonly line: string;
  readonly soft: string;
  readonly link: string;
  readonly path: string;
  /** The path's, paler. */
  readonly pale: string;
  readonly halo: string;
  readonly hit: string;
  readonly counter: string;
  /** By kind code × (1 + shades) + place: faint, then the shades. */
  readonly shade: readonly string[];
  /** As `shade`, for pixels of image data. */
  readonly pixel: Uint32Array;
  /** By kind code: words on the rectangle. */
  readonly on: readonly string[];
}

export function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const value = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  const paper = value('paper');
  const shade = EVENT_KINDS.flatMap((kind) =>
    [FAINT, ...SHADES].map((share) => mixed(value(`kind-${kind}`), paper, share)),
  );
  return {
    paper,
    ink: value('ink'),
    dim: value('dim'),
    line: value('line'),
    soft: value('soft'),
    link: value('link'),
    path: value('path'),
    pale: mixed(value('path'), paper, 0.45),
    halo: value('halo'),
    hit: value('hit'),
    counter: mixed(value('dim'), paper, 0.45),
    shade,
    pixel: Uint32Array.from(shade, pixelOf),
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
