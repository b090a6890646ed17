import type { EventHandle } from '../analyses/explain/options.ts';

/** An event as people and results name it, and the rank where it says one: `e-123`, `r-0/e-123`, `123`, `corr:1411`. */
export function parseEventHandle(text: string): { readonly event: EventHandle; readonly rank?: number } | undefined {
  const match = /^(?:r-(\d{1,9})\/)?(?:(?:e-)?(\d{1,15})|corr:(\d{1,15}))$/.exec(text);
  if (match === null) return undefined;
  const [, rank, position, correlation] = match;
  const event: EventHandle =
    position === undefined
      ? { kind: 'correlation', correlation: Number(correlation) }
      : { kind: 'position', position: Number(position) };
  return { event, ...(rank === undefined ? {} : { rank: Number(rank) }) };
}
