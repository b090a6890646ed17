/** Classes of a heat map: times that range over decades, told apart by steps of 1, 2, 5. */
export interface HeatScale {
  /** Of a time in ns, 0…`labels.length − 1`. */
  readonly classOf: (ns: number) => number;
  /** `below 50 µs`, `50–100 µs`, …, ascending. */
  readonly labels: readonly string[];
}

/** As many as `page.css` has colours: the highest edge is some hundred times the lowest. */
const CLASSES = 7;

/** The highest class holds `longestNs`, which is above 0. */
export function heatScale(longestNs: number): HeatScale {
  const edges = edgesBelow(longestNs);
  return {
    classOf: (ns) => edges.filter((edge) => edge <= ns).length,
    labels: [...edges, undefined].map((edge, at) => {
      const from = edges[at - 1];
      if (edge === undefined) return from === undefined ? 'any' : `${edgeText(from)} or more`;
      return from === undefined ? `below ${edgeText(edge)}` : `${edgeText(from)} to ${edgeText(edge)}`;
    }),
  };
}

/** The largest numbers 1, 2 or 5 times a power of ten, in ns, that are not above `longestNs`; ascending, none below 1 ns. */
function edgesBelow(longestNs: number): number[] {
  const edges: number[] = [];
  for (let power = Math.floor(Math.log10(longestNs)) + 1; power >= 0 && edges.length < CLASSES - 1; power--) {
    for (const step of [5, 2, 1]) {
      const edge = step * 10 ** power;
      if (edge <= longestNs && edges.length < CLASSES - 1) edges.push(edge);
    }
  }
  return edges.reverse();
}

const UNITS = [
  { unit: 's', ns: 1e9 },
  { unit: 'ms', ns: 1e6 },
  { unit: 'µs', ns: 1e3 },
  { unit: 'ns', ns: 1 },
] as const;

/** Edges are round: `50 µs`, not `50.0 µs`. */
function edgeText(ns: number): string {
  const { unit, ns: one } = UNITS.find((each) => ns >= each.ns) ?? UNITS[3];
  return `${ns / one} ${unit}`;
}
