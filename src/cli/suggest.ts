/** Which of `known` a mistyped word was meant to be, or `undefined` where none is near. */
export function findNearest(word: string, known: readonly string[]): string | undefined {
  let best: string | undefined;
  // A third of the letters may be wrong: `inof` is `info`, `trace` is nothing.
  let least = Math.min(3, Math.floor(word.length / 3) + 1);
  for (const each of known) {
    const distance = editDistance(word.toLowerCase(), each.toLowerCase());
    if (distance >= least || distance >= each.length) continue;
    least = distance;
    best = each;
  }
  return best;
}

/** Insertions, deletions, substitutions and swaps of neighbours that lead from `a` to `b`. */
function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 3) return Infinity;
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = at(previous, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let distance = Math.min(at(previous, j) + 1, at(row, j - 1) + 1, substituted);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        distance = Math.min(distance, at(before, j - 2) + 1);
      }
      row.push(distance);
    }
    before = previous;
    previous = row;
  }
  return at(previous, b.length);
}

const at = (row: readonly number[], index: number): number => row[index] ?? Infinity;
