import type { Signal } from '@preact/signals';
import { useEffect, useReducer } from 'preact/hooks';
import type { Scheme } from '../timeline/page-state.ts';
import { isDark, otherScheme, system } from './scheme.ts';

/** To dark colours, or back. */
export function SchemeButton({ scheme }: { readonly scheme: Signal<Scheme> }) {
  // The system may change them, too.
  const [, rerender] = useReducer<number, undefined>((times) => times + 1, 0);
  useEffect(() => {
    const media = system();
    const onChange = (): void => rerender(undefined);
    media.addEventListener('change', onChange);
    return () => media.removeEventListener('change', onChange);
  }, []);
  return (
    <button
      type="button"
      aria-pressed={isDark(scheme.value)}
      title="Dark or light colours, whatever the system has"
      onClick={() => (scheme.value = otherScheme(scheme.peek()))}
    >
      Dark
    </button>
  );
}
