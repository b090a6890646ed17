/** Light and dark colours: the system's, unless the viewer chose. */
import { type ReadonlySignal, effect } from '@preact/signals';
import type { Scheme } from '../timeline/page-state.ts';

const DARK = '(prefers-color-scheme: dark)';

/** What the system has: may change. */
export const system = (): MediaQueryList => matchMedia(DARK);

/** Whether the colours are dark. */
export const isDark = (scheme: Scheme): boolean => (scheme === '' ? system().matches : scheme === 'dark');

/** What the other colours are called; '' where those are the system's. */
export function otherScheme(scheme: Scheme): Scheme {
  const wanted = !isDark(scheme);
  if (wanted === system().matches) return '';
  return wanted ? 'dark' : 'light';
}

/** Gives the page its colours, and calls `tell` once they have changed, whether by choice or by the system. Returns what ends it. */
export function watchScheme(scheme: ReadonlySignal<Scheme>, tell: () => void): () => void {
  const media = system();
  media.addEventListener('change', tell);
  const stop = effect(() => {
    colour(scheme.value);
    tell();
  });
  return () => {
    stop();
    media.removeEventListener('change', tell);
  };
}

/** When the rules for dark colours hold. Each names the system's, so that they are found again. */
const WHEN: Readonly<Record<Scheme, string>> = {
  '': DARK,
  light: `(max-width: 0px) and ${DARK}`,
  dark: `screen, ${DARK}`,
};

function colour(scheme: Scheme): void {
  document.documentElement.style.colorScheme = scheme;
  for (const sheet of document.styleSheets) {
    for (const rule of sheet.cssRules) {
      if (rule instanceof CSSMediaRule && rule.media.mediaText.includes(DARK)) rule.media.mediaText = WHEN[scheme];
    }
  }
}
