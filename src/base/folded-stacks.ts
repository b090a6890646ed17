import { escapeText } from './format.ts';

/** Stacks as flame graph programs read them: lines `outer;inner 1234` with the weight in ns, in chunks of many lines. */
export function* foldedLines(
  stacks: readonly { readonly frames: readonly string[]; readonly weightNs: number }[],
): Generator<string> {
  let chunk = '';
  for (const { frames, weightNs } of stacks) {
    chunk += `${frames.map(frameText).join(';')} ${weightNs}\n`;
    if (chunk.length < 65_536) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}

/** A `;` would end the frame, a line break the line: the one becomes a colon, the other is spelled out. A name of nothing is kept apart. */
const frameText = (name: string): string => escapeText(name).replaceAll(';', ':') || '(no name)';
