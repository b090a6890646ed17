import { escapeText, formatCount, formatDur, formatRows, formatShare } from '../../base/format.ts';
import type { RenderOptions } from '../contract.ts';
import type { OpsResult, OpsTreeResult, TreeNode } from './result.ts';

const WIDTH = 100;
/** Of the host or the device time: what is less is in JSON only. */
const SHOWN_SHARE = 0.01;
/** Callers of callers that are shown bottom-up. */
const SHOWN_CALLERS = 4;

/** A node that is alone below another one stands below it without a further indent: Python stacks are deep. */
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
  const indents = indentsOf(large, isDown);
  const rows = large
    .slice(0, limit)
    .map((node, i) => [
      formatDur(node.totalNs),
      ...(isDown ? [formatDur(node.selfNs)] : []),
      node.deviceSumNs > 0 ? formatDur(node.deviceNs ?? node.deviceSumNs) : '',
      node.deviceSumNs > 0 ? formatShare(node.deviceSumNs / deviceSumNs) : '',
      `${' '.repeat(indents[i] ?? 0)}${node.kind === 'kernel' ? nameOf(node.name) : escapeText(node.name)}`,
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
    ...(more > 0 ? [style('dim', `  ${formatCount(more)} more: --limit`)] : []),
    ...(small > 0 ? [style('dim', `  ${formatCount(small)} smaller${isDown ? '' : ' or further out'}: --json`)] : []),
  ];
}

/** Columns before each name. A caller never stands below what it calls as if it were another row of the first level. */
function indentsOf(nodes: readonly TreeNode[], isDown: boolean): number[] {
  const children = new Map<number, number>();
  const open: number[] = [];
  const parents = nodes.map(({ depth }, i) => {
    while (open.length > 0 && (nodes[open[open.length - 1]]?.depth ?? 0) >= depth) open.pop();
    const parent = open.at(-1) ?? -1;
    children.set(parent, (children.get(parent) ?? 0) + 1);
    open.push(i);
    return parent;
  });
  const indents: number[] = [];
  parents.forEach((parent, i) => {
    const isAlone = children.get(parent) === 1 && (isDown || nodes[parent]?.depth !== 0);
    indents[i] = parent === -1 ? 0 : (indents[parent] ?? 0) + (isAlone ? 0 : 1);
  });
  return indents;
}
