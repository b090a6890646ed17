import { escapeText, formatInstant } from '../base/format.ts';

interface Labelled {
  readonly label: string;
  readonly startNs: number;
}

/** Labels of windows as a list shows them. The instances of an annotation have one label, so each has its start behind it. */
export function windowLabels(windows: readonly Labelled[]): string[] {
  const count = new Map<string, number>();
  for (const { label } of windows) count.set(label, (count.get(label) ?? 0) + 1);
  return windows.map(({ label, startNs }) => {
    const isOne = (count.get(label) ?? 0) < 2;
    return isOne ? escapeText(label) : `${escapeText(label)} at ${formatInstant(startNs)}`;
  });
}
