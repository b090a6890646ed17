import { lazy, lazyFields } from '../../base/lazy.ts';
import type { DeviceTime } from '../../graph/device-time.ts';
import { clip, lengthOf } from '../../graph/intervals.ts';
import { graphOptionsOf } from '../../graph/graph-options.ts';
import type { Graph } from '../../graph/graph.ts';
import { launchesIn } from '../../graph/launches.ts';
import type { Outcome, Subject } from '../contract.ts';
import { deviceTimesOf } from '../device-times.ts';
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
  const device = lazy(() => deviceWork(graph, deviceTimesOf(subject, options), stretch));
  const isOps = options.by === 'op' || options.by === 'shape';
  if (isOps && found.hostNs === 0 && device().deviceSumNs === 0) {
    return { status: 'not-applicable', reason: `no op or call has any time in ${scopeResult(scope).window.label}` };
  }
  const needsTree = options.tree !== undefined || options.folded !== undefined;
  const tree = needsTree ? buildCallTree(work, stretch) : undefined;
  const isWhole = scope.windows.some(({ bounds }) => bounds.kind === 'whole');
  const notes = (): readonly string[] =>
    opsNotes(work, options, found, device(), { waitedNs: tree?.waitedNs ?? 0, isWhole });
  const result: OpsResult = {
    ...scopeResult(scope),
    by: options.by,
    sort: options.sort,
    hostNs: found.hostNs,
    threads: found.threads,
    ...NO_DEVICE_WORK,
    outsideNs: 0,
    backwardOnlyNs: 0,
    launches: launchesIn(graph, start, end).length,
    backward: { linked: 0, unlinked: 0 },
    rows: found.rows,
    ...(tree === undefined || options.tree === undefined ? {} : { tree: treeResult(graph, tree, options.tree) }),
    ...(options.sequences === true ? { sequences: opSequences(work, stretch) } : {}),
    ...(tree === undefined || options.folded === undefined ? {} : { folded: foldedStacks(tree, options.folded) }),
  };
  return {
    status: 'ok',
    result: lazyFields(result, {
      notes: () => scopeResult(scope, notes()).notes,
      deviceNs: () => device().deviceNs,
      deviceSumNs: () => device().deviceSumNs,
      unlaunchedNs: () => device().unlaunchedNs,
      outsideNs: () => found.outsideNs,
      backwardOnlyNs: () => found.backwardOnlyNs,
      backward: () => ({ linked: work.backward.linked, unlinked: work.backward.unlinked }),
    }),
  };
}

export type DeviceWork = Pick<OpsResult, 'deviceNs' | 'deviceSumNs' | 'unlaunchedNs'>;

const NO_DEVICE_WORK: DeviceWork = { deviceNs: 0, deviceSumNs: 0, unlaunchedNs: 0 };

function deviceWork({ device }: Graph, times: readonly DeviceTime[], stretch: Stretch): DeviceWork {
  const { start, end } = stretch;
  let deviceSumNs = 0;
  let unlaunchedNs = 0;
  for (let op = 0; op < device.length; op++) {
    const ns = partOf(device.start[op], device.end[op], stretch);
    deviceSumNs += ns;
    if (device.call[op] === -1) unlaunchedNs += ns;
  }
  const deviceNs = times.reduce((sum, { busy }) => sum + lengthOf(clip(busy, start, end)), 0);
  return { deviceNs, deviceSumNs, unlaunchedNs };
}
