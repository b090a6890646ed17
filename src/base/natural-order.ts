/** `rank2` before `rank10`: runs of digits by their value, all else by code unit; the same on every machine. */
export function naturalOrder(a: string, b: string): number {
  const [parts, others] = [a, b].map((text) => text.match(/\d+|\D+/g) ?? []);
  for (let i = 0; i < Math.min(parts.length, others.length); i++) {
    const order = comparePart(parts[i], others[i]);
    if (order !== 0) return order;
  }
  return parts.length - others.length || compareText(a, b);
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function comparePart(a: string, b: string): number {
  if (!/^\d/.test(a) || !/^\d/.test(b)) return compareText(a, b);
  const [digits, others] = [a, b].map((text) => text.replace(/^0+(?=\d)/, ''));
  return digits.length - others.length || compareText(digits, others);
}
