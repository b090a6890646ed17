import { assertNever } from '../base/assert.ts';
import type { Action, Costs } from './program.ts';

/** Actions that are a call of the runtime API. */
export type CallAction = Exclude<
  Action,
  { readonly kind: 'op' | 'annotation' | 'frame' | 'sleep' | 'skip' | 'repeat' | 'fork' | 'join' }
>;

export function isCallAction(action: Action): action is CallAction {
  switch (action.kind) {
    case 'op':
    case 'annotation':
    case 'frame':
    case 'sleep':
    case 'skip':
    case 'repeat':
    case 'fork':
    case 'join':
      return false;
    default:
      return true;
  }
}

/** The call's name in CUDA's spelling. */
export function apiOf(action: CallAction): string {
  if (action.api !== undefined) return action.api;
  switch (action.kind) {
    case 'launch':
      return action.dependent === undefined ? 'cudaLaunchKernel' : 'cudaLaunchKernelExC';
    case 'collective':
    case 'send':
    case 'receive':
      return 'cudaLaunchKernelExC';
    case 'copy':
      return action.isBlocking === true ? 'cudaMemcpy' : 'cudaMemcpyAsync';
    case 'fill':
      return 'cudaMemsetAsync';
    case 'graph':
      return 'cudaGraphLaunch';
    case 'record':
      return 'cudaEventRecord';
    case 'wait':
      return 'cudaStreamWaitEvent';
    case 'event-sync':
      return 'cudaEventSynchronize';
    case 'stream-sync':
      return 'cudaStreamSynchronize';
    case 'device-sync':
      return 'cudaDeviceSynchronize';
    case 'query':
    case 'poll':
      return 'cudaEventQuery';
    case 'capture-begin':
      return 'cudaStreamBeginCapture';
    case 'capture-end':
      return 'cudaStreamEndCapture';
    case 'allocate':
      return action.waits ? 'cudaFree' : 'cudaMalloc';
    default:
      return assertNever(action);
  }
}

/** What a copy's row is called. */
export function copyName(direction: 'HtoD' | 'DtoH' | 'DtoD', memory: 'pageable' | 'pinned'): string {
  const host = memory === 'pageable' ? 'Pageable' : 'Pinned';
  switch (direction) {
    case 'HtoD':
      return `Memcpy HtoD (${host} -> Device)`;
    case 'DtoH':
      return `Memcpy DtoH (Device -> ${host})`;
    case 'DtoD':
      return 'Memcpy DtoD (Device -> Device)';
  }
}

/** Does the call hold its thread until the copy has ended (rule 7)? */
export function copyHoldsCall(
  direction: 'HtoD' | 'DtoH' | 'DtoD',
  memory: 'pageable' | 'pinned',
  isBlocking: boolean,
): boolean {
  if (direction === 'DtoD') return false;
  if (memory === 'pageable') return direction === 'DtoH';
  return isBlocking;
}

/** How long a call takes that nothing holds, ns. */
export function callCostOf(action: CallAction, { callNs }: Costs): number {
  switch (action.kind) {
    case 'launch':
    case 'collective':
    case 'send':
    case 'receive':
      return callNs.launch;
    case 'copy':
    case 'fill':
      return callNs.copy;
    case 'graph':
      return callNs.graph;
    case 'record':
    case 'capture-begin':
    case 'capture-end':
      return callNs.record;
    case 'wait':
      return callNs.wait;
    case 'event-sync':
    case 'stream-sync':
    case 'device-sync':
      return callNs.sync;
    case 'query':
    case 'poll':
      return callNs.query;
    case 'allocate':
      return callNs.allocate;
    default:
      return assertNever(action);
  }
}
