import { RowKind } from '../trace/kinds.ts';
import type { StringId } from '../trace/ids.ts';
import { NO_STRING } from '../trace/ids.ts';
import type { Trace } from '../trace/trace.ts';
import type { DeviceIndex } from './device.ts';

export type DeviceClass = 'kernel' | 'collective' | 'copy';

/** Names under which the vendors' collective libraries launch their kernels. */
const COLLECTIVE_NAME =
  /^(void )?(nccl|rccl|hccl|oneccl|msccl|nvshmem|mscclpp)|ncclDev|ncclKernel|rcclGeneric|cross_device_reduce|all_?reduce_kernel|allgather_kernel/i;

/** The class of each device op. Collective args of the row count before its name, since a name may lie about the operation. */
export function classifyDeviceOps(trace: Trace, device: DeviceIndex): readonly DeviceClass[] {
  const { events, categories, strings, collectives } = trace;
  const withArgs = new Set<number>();
  for (let i = 0; i < collectives.event.length; i++) {
    if (collectives.name[i] !== NO_STRING) withArgs.add(collectives.event[i]);
  }
  const byName = new Map<StringId, boolean>();
  const isCollective = (name: StringId): boolean => {
    let known = byName.get(name);
    if (known === undefined) {
      known = COLLECTIVE_NAME.test(strings.text(name));
      byName.set(name, known);
    }
    return known;
  };
  return Array.from(device.event, (e): DeviceClass => {
    const kind = categories[events.category[e]].kind;
    if (kind === RowKind.copy || kind === RowKind.fill) return 'copy';
    return withArgs.has(e) || isCollective(events.name[e]) ? 'collective' : 'kernel';
  });
}
