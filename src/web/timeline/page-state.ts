import type { View } from './view.ts';

/** What a link to the page holds. Times in whole ns. */
export interface PageState {
  readonly view?: View;
  /** Position of the selected event in the file. */
  readonly event?: number;
  /** Everything but the path is dimmed. */
  readonly isDimmed: boolean;
  readonly query: string;
  /** Lanes that are folded against their habit, and those that are unfolded. */
  readonly toggled: readonly string[];
  /** Whether the table is open. */
  readonly hasTable: boolean;
  /** How far the lanes are scrolled, in pixels. */
  readonly top: number;
}

export const FIRST_STATE: PageState = { isDimmed: false, query: '', toggled: [], hasTable: false, top: 0 };

/** The fragment of a URL, without its `#`. What is as at first is left out. */
export function textOfState({ view, event, isDimmed, query, toggled, hasTable, top }: PageState): string {
  const parts = new Map<string, string>();
  if (view !== undefined) parts.set('t', `${Math.floor(view.start)}..${Math.ceil(view.end)}`);
  if (event !== undefined) parts.set('e', String(event));
  if (isDimmed) parts.set('dim', '1');
  if (query !== '') parts.set('q', query);
  if (toggled.length > 0) parts.set('lanes', toggled.map(encodeURIComponent).join(' '));
  if (hasTable) parts.set('table', '1');
  if (top > 0) parts.set('top', String(Math.round(top)));
  return [...parts].map(([key, value]) => `${key}=${encode(value)}`).join('&');
}

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
  const [, from, to] = /^(-?\d{1,15})\.\.(-?\d{1,15})$/.exec(parts.get('t') ?? '') ?? [];
  const event = /^(?:e-)?(\d{1,10})$/.exec(parts.get('e') ?? '')?.[1];
  const top = /^\d{1,7}$/.test(parts.get('top') ?? '') ? Number(parts.get('top')) : 0;
  return {
    ...(from !== undefined && Number(from) < Number(to) ? { view: { start: Number(from), end: Number(to) } } : {}),
    ...(event === undefined ? {} : { event: Number(event) }),
    isDimmed: parts.get('dim') === '1',
    query: parts.get('q') ?? '',
    toggled: (parts.get('lanes') ?? '')
      .split(' ')
      .map(decode)
      .filter((id) => id !== ''),
    hasTable: parts.get('table') === '1',
    top,
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
