/** A question that was asked: its answer may still be on its way. */
export type Asked<T> =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'answered'; readonly value: T }
  | { readonly kind: 'failed'; readonly why: string };

/** How a promise stands; `tell` is called once more when it is settled. */
export function follow<T>(promise: Promise<T>, tell: (state: Asked<T>) => void): void {
  tell({ kind: 'waiting' });
  promise.then(
    (value) => tell({ kind: 'answered', value }),
    (error: unknown) => tell({ kind: 'failed', why: error instanceof Error ? error.message : String(error) }),
  );
}
