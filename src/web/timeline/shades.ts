/** Opaque colours instead of transparent ones: a canvas draws them faster, and they are the same over any paper. */

/** `share` of a colour over another, both as `#rrggbb`; the colour itself where it is written otherwise. */
export function mixed(colour: string, paper: string, share: number): string {
  const [over, under] = [partsOf(colour), partsOf(paper)];
  if (over === undefined || under === undefined) return colour;
  const parts = over.map((value, i) => Math.round(value * share + under[i] * (1 - share)));
  return `#${parts.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

function partsOf(colour: string): number[] | undefined {
  if (!/^#[0-9a-f]{6}$/i.test(colour)) return undefined;
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}
