import type { WhatIfUnmatched } from '../analyses/what-if/result.ts';
import { quote } from './args.ts';
import { findNearest } from './suggest.ts';

/** What was asked for, and what may have been meant. */
export function unmatchedText({ change, by, text, elsewhere, known }: WhatIfUnmatched): string {
  const isOverlap = change.startsWith('--overlap');
  const what = isOverlap ? 'collective' : by === 'name' ? 'op or kernel' : by === 'python' ? 'Python frame' : by;
  if (elsewhere !== undefined) {
    return `${change}: no ${what} of the trace matches, but ${WORDS[elsewhere]} do; write ${elsewhere}: before it`;
  }
  const wanted = text.toLowerCase();
  const near =
    findNearest(text, known) ??
    known.find((name) => name.toLowerCase().includes(wanted)) ??
    known.find((name) => wantedWords(wanted).some((word) => name.toLowerCase().includes(word)));
  const hint =
    near !== undefined
      ? `did you mean ${quote(shortened(near))}?`
      : known.length === 0
        ? 'the trace has none'
        : `it has ${known
            .slice(0, 3)
            .map((name) => quote(shortened(name)))
            .join(', ')}${known.length > 3 ? ' and others' : ''}`;
  return `${change}: no ${what} of the trace matches; ${hint}`;
}

const WORDS = { annotation: 'annotations', python: 'Python frames', lane: 'lanes' } as const;

/** Words of a name or a pattern that are long enough to be recognised. */
const wantedWords = (text: string): readonly string[] => text.split(/[^a-z0-9_]+/).filter((word) => word.length >= 4);

const shortened = (name: string): string => (name.length > 80 ? `${name.slice(0, 79)}…` : name);
