import { lengthOf, clip, unionOf } from '../../graph/intervals.ts';
import { graphOptionsOf } from '../../graph/graph-options.ts';
import type { Graph } from '../../graph/graph.ts';
import type { Outcome, Subject } from '../contract.ts';
import { openScope, scopeResult } from '../scope.ts';
import { rowsByName } from './by-name.ts';
import { buildCallTree } from './call-tree.ts';
import { type Stretch, hostWorkOf, partOf } from './host-work.ts';
import { opsNotes } from './notes.ts';
import type { OpsOptions } from './options.ts';
import type { OpsResult } from './result.ts';
import { opSequences } from './sequences.ts';
import { foldedStacks, treeResult } from './tree-nodes.ts';

export function computeOps(subject: Subject, options: OpsOptions): Outcome<OpsResult> {
  const opened = openScope(subject, options);
  if (opened.status !== 'ok') return opened;
  const scope = opened.result;
  const { graph, start, end } = scope;
  if (graph.host.length === 0) return { status: 'not-applicable', reason: 'the trace has no host ops or calls' };
  const stretch: Stretch = { start, end };
  const work = subject.once(`host work ${JSON.stringify(graphOptionsOf(options))}`, () => hostWorkOf(graph));
  const found = rowsByName(work, stretch, options.by, options.sort);
  const device = deviceWork(graph, stretch);
  const needsTree = options.tree !== undefined || options.folded !== undefined;
  const tree = needsTree ? buildCallTree(work, stretch) : undefined;
  const { linked, unlinked } = work;
  return {
    status: 'ok',
    result: {
      ...scopeResult(scope, opsNotes(work, options, found, device, tree?.waitedNs ?? 0)),
      by: options.by,
      sort: options.sort,
      hostNs: found.hostNs,
      threads: found.threads,
      ...device,
      outsideNs: found.outsideNs,
      backwardOnlyNs: found.backwardOnlyNs,
      launches: found.launches,
      backward: { linked, unlinked },
      rows: found.rows,
      ...(tree === undefined || options.tree === undefined ? {} : { tree: treeResult(graph, tree, options.tree) }),
      ...(options.sequences === true ? { sequences: opSequences(work, stretch) } : {}),
      ...(tree === undefined || options.folded === undefined ? {} : { folded: foldedStacks(tree, options.folded) }),
    },
  };
}

export type DeviceWork = Pick<OpsResult, 'deviceNs' | 'deviceSumNs' | 'unlaunchedNs'>;

function deviceWork({ device }: Graph, stretch: Stretch): DeviceWork {
  const byDevice = new Map<number, number[]>();
  let deviceSumNs = 0;
  let unlaunchedNs = 0;
  for (let op = 0; op < device.length; op++) {
    const ns = partOf(device.start[op], device.end[op], stretch);
    deviceSumNs += ns;
    if (device.call[op] === -1) unlaunchedNs += ns;
    const number = device.lanes[device.lane[op]].device;
    const ops = byDevice.get(number);
    if (ops === undefined) byDevice.set(number, [op]);
    else ops.push(op);
  }
  let deviceNs = 0;
  for (const ops of byDevice.values()) {
    deviceNs += lengthOf(clip(unionOf(device.start, device.end, ops), stretch.start, stretch.end));
  }
  return { deviceNs, deviceSumNs, unlaunchedNs };
}
