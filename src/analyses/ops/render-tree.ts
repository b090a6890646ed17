import { escapeText, formatCount, formatDur, formatRows, formatShare } from '../../base/format.ts';
import type { RenderOptions } from '../contract.ts';
import type { OpsResult, OpsTreeResult, TreeNode } from './result.ts';

const WIDTH = 100;
/** Of the host or the device time: what is less is in JSON only. */
const SHOWN_SHARE = 0.01;
/** Callers of callers that are shown bottom-up. */
const SHOWN_CALLERS = 4;
/** Levels that are told by their indent. */
const DEEPEST_INDENT = 16;

export function treeLines(
  { direction, nodes, hostNs }: OpsTreeResult,
  { deviceSumNs }: Pick<OpsResult, 'deviceSumNs'>,
  nameOf: (name: string) => string,
  { limit, style, fullNames }: RenderOptions,
): string[] {
  const isDown = direction === 'top-down';
  const large = nodes.filter(
    ({ depth, totalNs, deviceSumNs: device }) =>
      (isDown || depth <= SHOWN_CALLERS) &&
      ((totalNs > 0 && totalNs >= SHOWN_SHARE * hostNs) || (device > 0 && device >= SHOWN_SHARE * deviceSumNs)),
  );
  const shown = large.slice(0, limit);
  const rows = shown.map((node) => [
    formatDur(node.totalNs),
    ...(isDown ? [formatDur(node.selfNs)] : []),
    node.deviceSumNs > 0 ? formatDur(node.deviceNs ?? node.deviceSumNs) : '',
    node.deviceSumNs > 0 ? formatShare(node.deviceSumNs / deviceSumNs) : '',
    `${indentOf(node)}${node.kind === 'kernel' ? nameOf(node.name) : escapeText(node.name)}`,
    node.longest === undefined ? '' : `e-${node.longest.event}`,
  ]);
  const titles = [
    ...(isDown ? ['total', 'own'] : ['own']),
    'device',
    'of it',
    isDown ? 'what' : 'what, and its callers',
  ];
  const align = `${isDown ? '>>' : '>'}>>~<`;
  const [head = '', ...lines] = formatRows([[...titles, 'longest'], ...rows], align, fullNames ? Infinity : WIDTH - 2);
  const more = large.length - rows.length;
  const small = nodes.length - large.length;
  return [
    style('dim', `  ${head}`),
    ...lines.map((line) => `  ${line}`),
    ...(shown.some(({ depth }) => depth > DEEPEST_INDENT)
      ? [style('dim', '  a column in is a level down; +1 is one more than the indent')]
      : []),
    ...(more > 0 ? [style('dim', `  ${formatCount(more)} more: --limit`)] : []),
    ...(small > 0 ? [style('dim', `  ${formatCount(small)} smaller${isDown ? '' : ' or further out'}: --json`)] : []),
  ];
}

/** A column a level, so that who hangs below whom can be seen; Python stacks are deep, and from some level on its number is told: `+7 name`. */
const indentOf = ({ depth }: TreeNode): string =>
  depth <= DEEPEST_INDENT ? ' '.repeat(depth) : `${' '.repeat(DEEPEST_INDENT)}+${depth - DEEPEST_INDENT} `;
