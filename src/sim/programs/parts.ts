import type { Action, CollectiveAction, CollectiveOp, OpAction, Place } from '../program.ts';

// Pieces that the ready programs are made of, with the names and the shape that PyTorch gives them.

/** The stream that a model computes on. */
export const COMPUTE: Place = { device: 0, stream: 7 };

export const MS = 1_000_000;

export interface Kernel {
  readonly name: string;
  readonly ns: number;
}

export const op = (
  name: string,
  beforeNs: number,
  body: readonly Action[] = [],
  more: Partial<OpAction> = {},
): Action => ({
  kind: 'op',
  name,
  beforeNs,
  betweenNs: Math.round(beforeNs / 4),
  afterNs: Math.round(beforeNs / 3),
  body,
  ...more,
});

export const frame = (name: string, body: readonly Action[]): Action => ({ kind: 'frame', name, body });
export const annotation = (name: string, body: readonly Action[]): Action => ({ kind: 'annotation', name, body });

export const launch = ({ name, ns }: Kernel, on: Place = COMPUTE): Action => ({ kind: 'launch', name, ns, on });

/** A matrix product with its cast of ops: `aten::linear` → `aten::addmm` → one kernel. */
export const linear = (ns: number, hostNs: number, sequence?: number): Action =>
  op('aten::linear', hostNs, [
    op('aten::addmm', hostNs, [launch({ name: GEMM, ns })], sequence === undefined ? {} : { sequence }),
  ]);

/** An op of one small kernel. */
export const pointwise = (name: string, kernel: string, ns: number, hostNs: number, sequence?: number): Action =>
  op(name, hostNs, [launch({ name: kernel, ns })], sequence === undefined ? {} : { sequence });

export const GEMM = 'ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn';
export const GEMM_WGRAD = 'ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_nt';
export const GEMM_DGRAD = 'ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_nn';
export const FLASH =
  'void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4, false, false, cutlass::bfloat16_t> >(pytorch_flash::Flash_fwd_params)';
export const FLASH_BACKWARD =
  'void pytorch_flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<Flash_bwd_kernel_traits<128, 64, 128, 8, 4, 4, 4, false, false, cutlass::bfloat16_t> >(pytorch_flash::Flash_bwd_params)';
export const GELU =
  'void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)::{lambda()#2}::operator()() const::{lambda()#4}::operator()() const::{lambda(c10::BFloat16)#1}, at::detail::Array<char*, 2> >(int, at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)::{lambda()#2}::operator()() const::{lambda()#4}::operator()() const::{lambda(c10::BFloat16)#1}, at::detail::Array<char*, 2>)';
export const ADD =
  'void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>, at::detail::Array<char*, 3> >(int, at::native::CUDAFunctor_add<c10::BFloat16>, at::detail::Array<char*, 3>)';
export const NORM =
  'void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float>(int, float, c10::BFloat16 const*, c10::BFloat16 const*, c10::BFloat16 const*, float*, float*, c10::BFloat16*)';
export const ADAM =
  'void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous namespace)::FusedOptimizerTensorListMetadata<4>, at::native::(anonymous namespace)::FusedAdamMathFunctor<float, 4, (at::native::ADAM_MODE)0, false>, double>(at::native::(anonymous namespace)::FusedOptimizerTensorListMetadata<4>, at::native::(anonymous namespace)::FusedAdamMathFunctor<float, 4, (at::native::ADAM_MODE)0, false>, double)';

/** How fast ranks talk. */
export interface Network {
  /** Of one rank, GB/s. */
  readonly gbPerS: number;
  /** Of any call, ns. */
  readonly latencyNs: number;
}

export const FAST_NETWORK: Network = { gbPerS: 180, latencyNs: 18_000 };

/** From the last arrival to the end of a ring over `ranks` members. */
export function ringNs(op_: CollectiveOp, bytes: number, ranks: number, { gbPerS, latencyNs }: Network): number {
  const rounds = op_ === 'allreduce' ? 2 : 1;
  return Math.round(latencyNs + ((rounds * (ranks - 1)) / Math.max(1, ranks)) * (bytes / gbPerS));
}

const COMM_KERNELS: Readonly<Record<CollectiveOp, string>> = {
  allreduce: 'ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)',
  allgather: 'ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)',
  reduce_scatter: 'ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)',
  all_to_all: 'ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)',
  barrier: 'ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)',
  broadcast: 'ncclDevKernel_Broadcast_RING_LL(ncclDevKernelArgsStorage<4096ul>)',
  reduce: 'ncclDevKernel_Reduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)',
  scatter: 'ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)',
  gather: 'ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)',
};

const COMM_OPS: Readonly<Record<CollectiveOp, string>> = {
  allreduce: 'c10d::allreduce_',
  allgather: 'c10d::_allgather_base_',
  reduce_scatter: 'c10d::_reduce_scatter_base_',
  all_to_all: 'c10d::alltoall_base_',
  barrier: 'c10d::barrier',
  broadcast: 'c10d::broadcast_',
  reduce: 'c10d::reduce_',
  scatter: 'c10d::scatter_',
  gather: 'c10d::gather_',
};

export interface CommCall {
  readonly op: CollectiveOp;
  readonly group: string;
  readonly on: Place;
  /** The stream whose work it comes after. */
  readonly after: Place;
  readonly ns: number | readonly number[];
  readonly bytes: number;
  /** Of what it waits for; `doneEvent` tells when it is over. */
  readonly readyEvent: number;
  readonly doneEvent: number;
  readonly root?: number;
}

/** A collective as PyTorch calls it: the communication stream waits for the caller's, runs the kernel and records its end. */
export function collective(call: CommCall): Action {
  const { group, on, after, ns, readyEvent, doneEvent, root } = call;
  const elements = Math.round(call.bytes / 2);
  const kernel: CollectiveAction = {
    kind: 'collective',
    op: call.op,
    group,
    on,
    name: COMM_KERNELS[call.op],
    ns,
    tailNs: 300,
    elements,
    dtype: 'BFloat16',
    ...(root === undefined ? {} : { root }),
  };
  return op(COMM_OPS[call.op], 3_000, [
    op(
      'record_param_comms',
      4_000,
      [
        { kind: 'record', event: readyEvent, on: after },
        { kind: 'wait', event: readyEvent, on },
        annotation(`nccl:${call.op}`, [kernel]),
        { kind: 'record', event: doneEvent, on },
      ],
      { comm: kernel },
    ),
  ]);
}

/** The caller's stream waits for a collective. */
export const awaitCollective = (doneEvent: number, on: Place = COMPUTE): Action =>
  op('record_param_comms', 2_000, [{ kind: 'wait', event: doneEvent, on }], { comm: 'wait' });

/** `loss.item()`: the host waits for all of the compute stream. */
export const item = (): Action =>
  op('aten::item', 800, [
    op('aten::_local_scalar_dense', 1_500, [
      { kind: 'copy', on: COMPUTE, direction: 'DtoH', memory: 'pageable', bytes: 4, ns: 1_800 },
      { kind: 'stream-sync', on: COMPUTE },
    ]),
  ]);

export const dataLoader = (ns: number): Action =>
  annotation('enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__', [{ kind: 'sleep', ns }]);

export const toDevice = (bytes: number, gbPerS = 22): Action =>
  op('aten::to', 2_000, [
    op('aten::_to_copy', 2_000, [
      op('aten::copy_', 2_000, [
        {
          kind: 'copy',
          on: COMPUTE,
          direction: 'HtoD',
          memory: 'pinned',
          bytes,
          ns: Math.round(1_500 + bytes / gbPerS),
        },
      ]),
    ]),
  ]);

/** A backward op on the autograd thread, under the names that the engine gives it. */
export const backwardOp = (name: string, hostNs: number, kernels: readonly Kernel[], sequence: number): Action =>
  op(
    `autograd::engine::evaluate_function: ${name}`,
    hostNs,
    [
      op(
        name,
        hostNs,
        kernels.map((kernel) => op('aten::mm', hostNs, [launch(kernel)])),
        { sequence, isBackward: true },
      ),
    ],
    { sequence, isBackward: true },
  );
