import type { Area } from './area.ts';
import type { View } from './view.ts';

/** Light or dark colours; '' as the system has them. */
export type Scheme = '' | 'light' | 'dark';

/** What a link holds, so that it shows the same when it is opened again. */
export interface PageState {
  readonly view?: View;
  /** Position of the selected event in the file. */
  readonly event?: number;
  readonly area?: Area;
  /** Everything but the path is dimmed. */
  readonly isDimmed: boolean;
  readonly query: string;
  /** Lanes that are folded against their habit, and those that are unfolded. */
  readonly toggled: readonly string[];
  readonly pinned: readonly string[];
  /** The first lanes, where their order was changed. */
  readonly order: readonly string[];
  /** Which lanes are shown. */
  readonly laneFilter: string;
  /** The list below the timeline; '' where there is none. */
  readonly panel: string;
  /** How far the lanes are scrolled, in pixels. */
  readonly top: number;
  readonly scheme: Scheme;
}

export const FIRST_STATE: PageState = {
  isDimmed: false,
  query: '',
  toggled: [],
  pinned: [],
  order: [],
  laneFilter: '',
  panel: '',
  top: 0,
  scheme: '',
};

/** The fragment of a URL, without its `#`. What is as at first is left out. */
export function textOfState(state: PageState): string {
  const { view, event, area, isDimmed, query, laneFilter, panel, top, scheme } = state;
  const parts = new Map<string, string>();
  if (view !== undefined) parts.set('t', spanText(view));
  if (event !== undefined) parts.set('e', String(event));
  if (area !== undefined) {
    parts.set('area', spanText(area));
    if (area.lanes !== undefined) parts.set('in', idsText(area.lanes));
  }
  if (isDimmed) parts.set('dim', '1');
  if (query !== '') parts.set('q', query);
  for (const [key, ids] of [
    ['lanes', state.toggled],
    ['pin', state.pinned],
    ['order', state.order],
  ] as const) {
    if (ids.length > 0) parts.set(key, idsText(ids));
  }
  if (laneFilter !== '') parts.set('only', laneFilter);
  if (panel !== '') parts.set('panel', panel);
  if (scheme !== '') parts.set('colours', scheme);
  if (top > 0) parts.set('top', String(Math.round(top)));
  return [...parts].map(([key, value]) => `${key}=${encode(value)}`).join('&');
}

const spanText = ({ start, end }: View): string => `${Math.floor(start)}..${Math.ceil(end)}`;
const idsText = (ids: readonly string[]): string => ids.map(encodeURIComponent).join(' ');

/** Half a surrogate pair has no encoding. */
const LONE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const encode = (text: string): string =>
  encodeURIComponent(text.replace(LONE, '\ufffd')).replaceAll('%20', '+').replaceAll('%2C', ',').replaceAll('%3A', ':');

/** What a fragment says; anything in it that cannot be meant is passed over. */
export function stateOfText(text: string): PageState {
  const parts = new Map<string, string>();
  for (const part of text.split('&')) {
    const at = part.indexOf('=');
    if (at > 0) parts.set(part.slice(0, at), decode(part.slice(at + 1).replaceAll('+', ' ')));
  }
  const textOf = (key: string): string => parts.get(key) ?? '';
  const view = spanOfText(textOf('t'));
  const span = spanOfText(textOf('area'));
  const event = /^(?:e-)?(\d{1,10})$/.exec(textOf('e'))?.[1];
  return {
    ...(view === undefined ? {} : { view }),
    ...(event === undefined ? {} : { event: Number(event) }),
    ...(span === undefined ? {} : { area: parts.has('in') ? { ...span, lanes: idsOf(textOf('in')) } : span }),
    isDimmed: textOf('dim') === '1',
    query: textOf('q'),
    toggled: idsOf(textOf('lanes')),
    pinned: idsOf(textOf('pin')),
    order: idsOf(textOf('order')),
    laneFilter: textOf('only'),
    panel: /^[a-z-]{1,20}$/.test(textOf('panel')) ? textOf('panel') : '',
    top: /^\d{1,7}$/.test(textOf('top')) ? Number(textOf('top')) : 0,
    scheme: schemeOfText(textOf('colours')),
  };
}

function spanOfText(text: string): View | undefined {
  const [, from, to] = /^(-?\d{1,15})\.\.(-?\d{1,15})$/.exec(text) ?? [];
  return from !== undefined && Number(from) < Number(to) ? { start: Number(from), end: Number(to) } : undefined;
}

const schemeOfText = (text: string): Scheme => (text === 'light' || text === 'dark' ? text : '');

const idsOf = (text: string): string[] =>
  text
    .split(' ')
    .map(decode)
    .filter((id) => id !== '');

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
