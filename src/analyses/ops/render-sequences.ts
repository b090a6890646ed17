import { escapeText, formatCount, formatDur, formatRows } from '../../base/format.ts';
import type { RenderOptions } from '../contract.ts';
import type { OpSequence } from './result.ts';

const WIDTH = 100;

export function sequenceLines(
  sequences: readonly OpSequence[],
  nameOf: (name: string) => string,
  { limit, style, fullNames }: RenderOptions,
): string[] {
  if (sequences.length === 0) return ['no op of the windows launched device work'];
  const shown = sequences.slice(0, limit);
  const rows = shown.map(({ op, kernels, count, meanToLaunchNs, meanToDeviceNs, deviceSumNs, first }) => [
    `${formatCount(count)}×`,
    formatDur(meanToLaunchNs),
    formatDur(meanToDeviceNs),
    formatDur(deviceSumNs),
    escapeText(op),
    kernels.map(nameOf).join(' → '),
    `e-${first.event}`,
  ]);
  const titles = ['', 'to launch', 'to device', 'device', 'op', 'launches', 'first'];
  const [head = '', ...lines] = formatRows([titles, ...rows], '>>>>~~<', fullNames ? Infinity : WIDTH - 2);
  const more = sequences.length - shown.length;
  return [
    style('dim', `  ${head}`),
    ...lines.map((line) => `  ${line}`),
    ...(more > 0 ? [style('dim', `  ${formatCount(more)} more: --limit`)] : []),
  ];
}
