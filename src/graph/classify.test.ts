// What a device op is for: by the user's rules, by its collective args, by its category, by its name.
import { describe, expect, test } from 'vitest';
import { traceOf } from '../test-kit/draw.ts';
import { type DeviceClass, classOfName } from './classify.ts';
import type { ClassRule } from './graph-options.ts';
import { buildGraph } from './graph.ts';

/** By name: what each device op of a drawing is. */
function classesOf(drawing: string, classRules: readonly ClassRule[] = []): Record<string, DeviceClass> {
  const { device, trace, classOf } = buildGraph(traceOf(drawing), { classRules });
  return Object.fromEntries(
    Array.from(device.event, (e, op) => [trace.strings.text(trace.events.name[e]), classOf[op]]),
  ) as Record<string, DeviceClass>;
}

const COLLECTIVES: Readonly<Record<string, readonly string[]>> = {
  NCCL: [
    'ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)',
    'ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)',
    'void ncclKernel_AllGather_RING_LL_Sum_int8_t(ncclDevComm*, unsigned long, ncclWork*)',
    'ncclDevKernel_Generic_4(ncclDevKernelArgsStorage<4096ul>)',
    'nccl::all_reduce',
    'NCCL_ALLREDUCE',
  ],
  RCCL: [
    'rcclGenericKernel<1, 2>(ncclDevKernelArgsStorage<4096ul>)',
    'void rcclGenericKernel<2, false>(ncclDevComm*, unsigned long, ncclWork*)',
    'rccl_AllReduce',
    'mscclKernel_Sum_half_Simple_LL128(ncclDevComm*, mscclAlgo*)',
    'void mscclpp::allreduce7<float>(float*, float*, unsigned long)',
  ],
  'shared memory': [
    'nvshmem_barrier_kernel(int)',
    'void nvshmemi_reducescatter_on_stream_kernel<float>(int)',
    'void barrier_on_stream_kernel_threadgroup<(threadgroup_t)2>(int, int)',
    'rocshmem_put_kernel',
    'void c10d::symmetric_memory::barrier_kernel(unsigned int**, int, unsigned long, unsigned long)',
    'void c10d::symmetric_memory::(anonymous namespace)::put_signal_kernel(unsigned int**, int, int, int, int)',
    'void (anonymous namespace)::one_shot_all_reduce_kernel<c10::BFloat16, 16, 8, false>(c10::BFloat16**, c10::BFloat16*)',
    'void (anonymous namespace)::two_shot_all_reduce_kernel_inplace<float, 16, 8>(float**, unsigned long, unsigned long)',
    'void multimem_all_reduce_kernel<c10::BFloat16, 16>(c10::BFloat16*, unsigned long, unsigned int**)',
    'multimem_one_shot_all_reduce_kernel',
    'multimem_all_gather_kernel',
    'userbuffers_fp16_sum_inplace_gpu_rr_rs_oop_stride',
  ],
  'inference engines': [
    'void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(vllm::RankData*, vllm::RankSignals, vllm::Signal*)',
    'void sglang::cross_device_reduce_2stage<__half, 8>(sglang::RankData*, sglang::RankSignals, sglang::Signal*)',
    '_ZN4vllm26cross_device_reduce_1stageI13__nv_bfloat16Li8EEEvPNS_8RankDataE',
    'void aiter::reduce_scatter_cross_device_store<__half, 8>(aiter::RankData*)',
    'void tensorrt_llm::kernels::oneShotAllReduceKernel<__half, 8>(tensorrt_llm::kernels::AllReduceParams)',
    'void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<8, __half>(int)',
    'void quickreduce::allreduce_prototype_twoshot<quickreduce::AllReduceTwoshot<half>>(half const*)',
    'void fbgemm_gpu::car::one_shot_all_reduce<8, false>(int, int, int)',
    'dlslime::intranode_alltoall_kernel',
  ],
  experts: [
    'void deep_ep::internode_ll::dispatch<true, 3, 10, 7168>(void*, float*, int*, long*, int*, int*)',
    'void deep_ep::internode_ll::combine<3, 10, 7168, 9>(void*, void*, int*)',
    'void deep_ep::intranode::notify_dispatch<8>(int const*, int*)',
    'void deep_ep::intranode::cached_notify_combine<8>(void**, int*)',
    'void deep_ep::intranode::barrier<8>(int**, int)',
    'void mori::moe::EpDispatchIntraNodeKernel<__hip_bfloat16>(mori::moe::EpDispatchCombineArgs<__hip_bfloat16>)',
    'moeA2ADispatchKernel',
  ],
  'Intel, Ascend, Gaudi, MTIA': [
    'oneccl_reduce_base<float, 2, 16, 1, 1, 2>',
    'oneccl_allreduce_pcie',
    'HcclAllReduce',
    'hccl_AllGather',
    'hcom_allReduce__503_NN_32',
    'hcom_alltoallv_',
    'allreduceAicpuKernel',
    'RDMASend',
    'collective_subgraph_execution',
  ],
};

const COPIES: readonly string[] = [
  'hipMemcpyDtoD',
  'hipMemcpyHtoDAsync',
  'hipMemset2D',
  'Memcpy HtoD (Pinned -> Device)',
  'Memset (Unknown)',
  '__amd_rocclr_copyBuffer',
  '__amd_rocclr_copyBufferRectAligned',
  '__amd_rocclr_fillBufferAligned',
  'fillBufferAligned',
  'FillBuffer',
  'copyBuffer',
  'CopyDeviceToHost',
  'CopyHostToDevice',
  'CopyDeviceToDevice',
  'zeCommandListAppendMemoryCopy(D2M)',
  'zeCommandListAppendMemoryFill',
  'MEMCPY_ASYNC',
  'SDMA',
  'dma',
  'dma_h2d',
  'dmaExec',
];

const COMPUTATION: readonly string[] = [
  // "dma", "Sync" and the names of libraries inside of other words.
  'dmatmul_kernel',
  'void gemm_tma_dma_warpspecialized<128, 64>(int)',
  'cutlass_80_tensorop_f16_s16816gemm_grouped_SyncWarp_128x128',
  'void at::native::batch_norm_backward_elemt_SyncBN<float>(float*)',
  'hipblaslt_gemm_kernel',
  'Cijk_Ailk_Bljk_HHS_BH_MT128x128x32_MI32x32x8x1',
  'hip_rms_norm',
  // Local reductions, gathers and scatters.
  'void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<float, float>, unsigned int>>()',
  'void splitKreduce_kernel<32, 16, int, float>(cublasSplitKParams<float>)',
  'void blockAllReduceSoftmax<float>(float*)',
  'void oneflow::cuda::softmax::SoftmaxWarpAllReduce<float, 4>(float)',
  'small_reduce_kernel',
  'smallGatherKernel',
  'small_gather',
  'scatter_reduce_scatter_kernel',
  'void at::native::_scatter_gather_elementwise_kernel<128, 4>(int)',
  'void at::native::vectorized_gather_kernel<16, long>(char*, char*, long*, int)',
  'reduce_segments',
  'void broadcast_kernel<float>(float*)',
  'void flash_fwd_splitkv_mla_combine_kernel<cutlass::bfloat16_t>(Params)',
  'void deep_ep::layout::get_dispatch_layout<256, 32>(long const*, int*)',
  // A collective that is only a type, an argument or one of the ops that Inductor fused.
  'void at::native::vectorized_elementwise_kernel<4, my::AllReduceFunctor<float>>(int, ncclDevComm*)',
  'triton_poi_fused_add_all_reduce_wait_tensor_3',
  'triton_red_fused__to_copy_all_gather_into_tensor_mean_1',
  // What copies or fills as its computation.
  'void at::native::elementwise_kernel<128, 2, at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)>(int)',
  'void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>>(int)',
  'void at::native::(anonymous namespace)::CatArrayBatchedCopy<float, unsigned int, 2, 128, 1>(float*)',
  'triton_poi_fused__to_copy_1',
  '_combined_routing_memset',
  'void recat_copy_async_kernel<float>(long const*)',
  'memset_kernel',
  'copyBufferAndScale',
  'gemm',
  '',
];

describe('by its name', () => {
  test.each(Object.entries(COLLECTIVES).flatMap(([vendor, names]) => names.map((name) => [vendor, name])))(
    '%s: %s communicates',
    (_, name) => {
      expect(classOfName(name)).toBe('collective');
    },
  );
  test.each(COPIES)('%s copies', (name) => {
    expect(classOfName(name)).toBe('copy');
  });
  test.each(COMPUTATION)('%s computes', (name) => {
    expect(classOfName(name)).toBe('kernel');
  });
  test.each(['EVENT_WAIT', 'Notify_Wait', 'EVENT_RECORD'])('%s only waits', (name) => {
    expect(classOfName(name)).toBe('other');
  });
});

describe('a device op is what', () => {
  const drawing = `
    gpu 0.7 | gemm#1@0+5 mystery#2@5+5{Collective name=allreduce} Memcpy HtoD#3@10+5 Memset (Device)#4@15+5
    gpu 0.8 | ncclKernel_AllReduce#5@0+5 job_exe 1#6@10+5{cat=mtia_ccp_events} packet_kernel#7@20+5
            | dma_in#8@30+5{cat=mtia_ccp_events} matmul#9@40+5{cat=mtia_ccp_events}
  `;

  test('its args, its category and its name say', () => {
    expect(classesOf(drawing)).toEqual({
      gemm: 'kernel',
      mystery: 'collective',
      'Memcpy HtoD': 'copy',
      'Memset (Device)': 'copy',
      ncclKernel_AllReduce: 'collective',
      'job_exe 1': 'other',
      packet_kernel: 'kernel',
      dma_in: 'copy',
      matmul: 'kernel',
    });
  });

  test('the first of the rules that matches says, before everything else', () => {
    const rules: ClassRule[] = [
      { match: '^gemm$', class: 'other' },
      { match: 'mystery', class: 'copy' },
      { match: 'Mem', class: 'collective' },
      { match: 'Memset', class: 'kernel' },
    ];
    expect(classesOf(drawing, rules)).toMatchObject({
      gemm: 'other',
      mystery: 'copy',
      'Memcpy HtoD': 'collective',
      'Memset (Device)': 'collective',
      ncclKernel_AllReduce: 'collective',
    });
  });
});

test('a name of megabytes is classified by its beginning', () => {
  expect(classOfName(`ncclDevKernel_AllReduce(${'x'.repeat(1 << 22)}`)).toBe('collective');
  expect(classOfName(`gemm${'all'.repeat(1 << 20)}_reduce`)).toBe('kernel');
});
