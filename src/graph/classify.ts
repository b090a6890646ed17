import { matchesName } from '../base/matches.ts';
import { RowKind } from '../trace/kinds.ts';
import type { StringId } from '../trace/ids.ts';
import { NO_STRING } from '../trace/ids.ts';
import type { Trace } from '../trace/trace.ts';
import type { DeviceIndex } from './device.ts';
import type { ClassRule } from './graph-options.ts';

/**
 * What a device op is for. `kernel` computes; `other` is neither work nor transfer: what a user's rules say is none, envelopes around a
 * job's ops (MTIA) and waits that a writer puts among its kernels (Ascend).
 */
export const DEVICE_CLASSES = ['kernel', 'collective', 'copy', 'other'] as const;
export type DeviceClass = (typeof DEVICE_CLASSES)[number];

/**
 * The class of each device op: the first of the user's rules whose pattern its name matches; else collective args of the row, since a name
 * may lie about the operation; else its category; else its name.
 */
export function classifyDeviceOps(
  trace: Trace,
  device: DeviceIndex,
  rules: readonly ClassRule[] = [],
): readonly DeviceClass[] {
  const { events, categories, strings, collectives } = trace;
  const withArgs = new Set<number>();
  for (let i = 0; i < collectives.event.length; i++) {
    if (collectives.name[i] !== NO_STRING) withArgs.add(collectives.event[i]);
  }
  const byName = new Map<StringId, DeviceClass>();
  const named = (name: StringId): DeviceClass => {
    let known = byName.get(name);
    if (known === undefined) {
      known = classOfName(strings.text(name));
      byName.set(name, known);
    }
    return known;
  };
  const ruled = rulesByName(trace, rules);
  return Array.from(device.event, (e): DeviceClass => {
    const said = ruled(events.name[e]);
    if (said !== undefined) return said;
    if (withArgs.has(e)) return 'collective';
    const { kind } = categories[events.category[e]];
    if (kind === RowKind.copy || kind === RowKind.fill) return 'copy';
    const found = named(events.name[e]);
    const isEnvelope =
      found === 'kernel' && kind === RowKind.deviceOther && ENVELOPE.test(strings.text(events.name[e]));
    return isEnvelope ? 'other' : found;
  });
}

/** Where a name says that something is communicated. Tested on the name's head, in which no type and no argument stands. */
const COLLECTIVE: readonly RegExp[] = [
  // The vendors' libraries, by what all of their kernels begin with.
  /(^|::|^_ZN\d+)(nccl|rccl|hccl|hcom_|oneccl|xccl|msccl|ccl::)|rcclGeneric|ncclDev|ncclKernel/i,
  // Memory that ranks share.
  /(nv|roc|i)shmem|symmetric_memory|symm_mem|userbuffers|lamport/i,
  /(barrier|sync|quiet|broadcast|fcollect|alltoall)(_all)?_on_stream_kernel/,
  // Kernels of PyTorch and of inference engines that do a collective themselves. The reduction of a warp or a block is none, nor is
  // what is small: `small_reduce`, `smallGather`.
  /cross_device_(reduce|store|load)|multimem_|(one|two)_?shot_?(all|reduce)/i,
  /(?<![a-zA-Z]|(block|warp|wave)_)all_?([rR]educe|[gG]ather|[tT]o_?[aA]ll)/,
  /(?<!([bB]lock|[wW]arp|[wW]ave)_?)A(ll|LL)_?([rR]educe|REDUCE|[gG]ather|GATHER|[tT]o_?[aA]ll|TO_?ALL)/,
  /(?<![a-zA-Z]|scatter_)reduce_?[sS]catter|Reduce_?Scatter|REDUCE_?SCATTER/,
  // Experts' parallelism: tokens go to the ranks of their experts and back.
  /deep_?ep.*(dispatch|combine|barrier)(?!_layout)|(mori|pplx).*([dD]ispatch|[cC]ombine)|moeA2A/,
  // Rows of accelerators.
  /^collective_subgraph_execution|^RDMA_?(Send|Recv)/i,
];

/** Names of copies and fills that a writer has among its kernels. A kernel that copies as its computation is none of them. */
const COPY: readonly RegExp[] = [
  /^((cuda|hip|aclrt)?[mM]em(cpy|set)|MEM(CPY|SET))(?![a-z])(?!_kernel)/,
  /^__amd_rocclr_(copy|fill)|^([cC]opy|[fF]ill)(Buffer|Image)(Aligned|Rect|Raw|\d+D)*$/,
  /^Copy(Host|Device)To(Host|Device)|^zeCommandListAppend(Memory|Image)(Copy|Fill)/,
  // The row of a DMA engine, not a kernel like `dmatmul`.
  /^s?dma(?![a-z])|^S?DMA(?![A-Za-z])/,
];

/** What an MTIA writes around ops. */
const ENVELOPE = /^(job_exe|packet|pe_exe|cpum_exe_subgraph|runFunction)/;
/** What an Ascend writes where a stream waits. */
const WAIT = /^(event|notify)_?(wait|record)$/i;
/** Inductor names a fused kernel for all ops in it: `triton_poi_fused_add_all_reduce_3` adds. */
const FUSED = /^triton_[a-z]+_fused_/;

/** The class of a row that is in no category of copies, by its name. */
export function classOfName(name: string): DeviceClass {
  const head = headOf(name);
  if (FUSED.test(head)) return 'kernel';
  if (COLLECTIVE.some((pattern) => pattern.test(head))) return 'collective';
  if (COPY.some((pattern) => pattern.test(head))) return 'copy';
  return WAIT.test(head) ? 'other' : 'kernel';
}

const LONGEST_HEAD = 512;

/** A name without its return type, template arguments and parameters, which name types of all sorts. */
function headOf(name: string): string {
  const start = name
    .slice(0, LONGEST_HEAD)
    .replace(/^(void|typeinfo name for) /, '')
    .replaceAll('(anonymous namespace)::', '')
    .replace(/^at::native::/, '');
  const end = start.search(/[<(]/);
  return end <= 0 ? start : start.slice(0, end);
}

function rulesByName({ strings }: Trace, rules: readonly ClassRule[]): (name: StringId) => DeviceClass | undefined {
  if (rules.length === 0) return () => undefined;
  const patterns = rules.map(({ match, class: to }) => ({ pattern: new RegExp(match), to }));
  const known = new Map<StringId, DeviceClass | undefined>();
  return (name) => {
    if (!known.has(name)) {
      const text = strings.text(name);
      known.set(name, patterns.find(({ pattern }) => matchesName(pattern, text))?.to);
    }
    return known.get(name);
  };
}
