import type { StringId } from '../trace/ids.ts';
import type { StringTable } from '../trace/strings.ts';

/**
 * What a runtime or driver call does, read off its name: CUDA, HIP, Level Zero and SYCL, MTIA. The pair of launch and device
 * row is found by correlation whatever the name; names only tell which calls should have device rows, and which ones wait.
 */
export const Api = {
  /** Enqueues device work (kernels, copies, fills, graphs). */
  launch: 1,
  graphLaunch: 2,
  copy: 4,
  record: 8,
  streamWait: 16,
  eventSync: 32,
  streamSync: 64,
  deviceSync: 128,
  query: 256,
  /** Allocates or frees memory: may wait for the device, without a row that says so. */
  allocate: 512,
  /** A fill. Like a copy, one of nothing enqueues nothing and leaves no device row. */
  fill: 2048,
  /** Begins or ends the capture of a graph: what the thread enqueues in between does not run. */
  capture: 4096,
  captureEnd: 8192,
  /** A call of CUDA, whose launch queue is bounded. */
  cuda: 1024,
} as const;

const PATTERNS: readonly (readonly [RegExp, number])[] = [
  [/^(cuda|cu|hip)(Ext)?(Module)?Launch(?!HostFunc)/, Api.launch],
  [/^(cuda|cu|hip)(Ext)?(Module)?LaunchCooperative/, Api.launch],
  [/^(cuda|cu|hip)GraphLaunch/, Api.launch | Api.graphLaunch],
  [/^(cuda|hip)Memcpy|^cuMemcpy/, Api.launch | Api.copy],
  [/^(cuda|hip)Memset|^cuMemset/, Api.launch | Api.fill],
  [/^runFunction|^(ur|pi)Enqueue(Kernel|Mem|USM)|^zeCommandListAppend(LaunchKernel|Memory)/, Api.launch],
  [/^(ur|pi)Enqueue(Mem|USM)|^zeCommandListAppendMemory/, Api.copy],
  [/^(cuda|cu|hip)EventRecord/, Api.record],
  [/^(cuda|cu|hip)StreamWaitEvent/, Api.streamWait],
  [/^(cuda|cu|hip)EventSynchronize|^(ur|pi)EventWait|^zeEventHostSynchronize/, Api.eventSync],
  [/^(cuda|cu|hip)StreamSynchronize|^(ur|pi)QueueFinish|^zeCommandQueueSynchronize/, Api.streamSync],
  [/^(cuda|hip)DeviceSynchronize|^cuCtxSynchronize|^hipCtxSynchronize|^cudaThreadSynchronize/, Api.deviceSync],
  [/^(cuda|cu|hip)(Event|Stream)Query/, Api.query],
  [
    /^(cuda|hip)(Malloc|Free)(?!Async|FromPool)|^(cuda|hip)Host(Alloc|Malloc|Free|Register|Unregister)|^cuMem(Alloc|Free)(?!Async)/,
    Api.allocate,
  ],
  [/^(cuda|cu|hip)Stream(Begin|End)Capture/, Api.capture],
  [/^(cuda|cu|hip)StreamEndCapture/, Api.captureEnd],
  [/^(cuda|cu[A-Z])/, Api.cuda],
];

export function apiOf(name: string): number {
  let flags = 0;
  for (const [pattern, flag] of PATTERNS) if (pattern.test(name)) flags |= flag;
  return flags;
}

/** `apiOf` by name id, each name looked at once. */
export function apiLookup(strings: StringTable): (name: StringId) => number {
  const known = new Int32Array(strings.length).fill(-1);
  return (name) => {
    if (known[name] === -1) known[name] = apiOf(strings.text(name));
    return known[name];
  };
}
