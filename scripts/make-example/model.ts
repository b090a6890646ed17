// The text classifier that is trained: 2,048 tokens of width 512 through two transformer blocks, in single precision on an A10.
import type { Work } from './job.ts';
import type { Args } from './kineto.ts';

/** An operator of the model with its backward pass. */
export interface Layer {
  readonly name: string;
  readonly inner?: string;
  readonly forward: readonly Work[];
  readonly grad: string;
  readonly backward: readonly (readonly [op: string, work: Work])[];
  readonly parameters: number;
  /** Gradients, in elements, that are complete once this layer has run backward: they are reduced together. */
  readonly bucket?: number;
}

export const copy = (direction: string, us: number, bytes: number): Work => ({
  category: 'gpu_memcpy',
  name: `Memcpy ${direction}`,
  us,
  args: { bytes, 'memory bandwidth (GB/s)': Number((bytes / us / 1000).toFixed(3)) },
});

export const fill = (us: number): Work => elementwise('at::native::FillFunctor<float>', us);
/** Divides a bucket of gradients by the number of ranks. */
export const scale = (elements: number): Work =>
  elementwise(
    'at::native::BUnaryFunctor<float, float, float, at::native::binary_internal::MulFunctor<float> >',
    2 + elements / 56_000,
  );

/** A ring over eight ranks on PCIe: about 2.6 elements a ns. */
export function allReduce(elements: number, args: Args): Work {
  const name = 'ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*, unsigned long, ncclWork*)';
  const work = kernel(name, 14 + elements * 0.00038, 4, 512);
  return { ...work, args: { ...work.args, ...args } };
}

/** A quarter of the optimizer's update. */
export const adam = kernel(
  templated(
    'at::native::(anonymous namespace)::multi_tensor_apply_kernel',
    'at::native::(anonymous namespace)::FusedOptimizerTensorListMetadata<4>',
    'at::native::(anonymous namespace)::FusedAdamMathFunctor<float, 4, (at::native::ADAM_MODE)1, false>',
    'float const*, double, double, double, double, double, bool, float*, float*',
  ),
  285,
  320,
  512,
);

const add = elementwise('at::native::CUDAFunctor_add<float>', 13);

const layerNorm: Layer = {
  name: 'aten::layer_norm',
  inner: 'aten::native_layer_norm',
  forward: [
    kernel(
      'void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, float>' +
        '(int, float, float const*, float const*, float const*, float*, float*, float*)',
      14,
      2048,
    ),
  ],
  grad: 'NativeLayerNormBackward0',
  backward: [
    [
      'aten::native_layer_norm_backward',
      kernel(
        'void at::native::(anonymous namespace)::layer_norm_grad_input_kernel_vectorized<float, float>' +
          '(float const*, float const*, float const*, float const*, float const*, float*, int)',
        19,
        2048,
      ),
    ],
  ],
  parameters: 2,
};

const linear = (us: number): Layer => ({
  name: 'aten::linear',
  inner: 'aten::addmm',
  forward: [gemm('tn', us)],
  grad: 'AddmmBackward0',
  backward: [
    ['aten::mm', gemm('nn', us * 0.96)],
    ['aten::mm', gemm('nt', us * 0.98)],
    ['aten::sum', sum(10)],
  ],
  parameters: 2,
});

const attention: Layer = {
  name: 'aten::scaled_dot_product_attention',
  inner: 'aten::_scaled_dot_product_efficient_attention',
  forward: [kernel('fmha_cutlassF_f32_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel::Params)', 96)],
  grad: 'ScaledDotProductEfficientAttentionBackward0',
  backward: [
    [
      'aten::_scaled_dot_product_efficient_attention_backward',
      kernel('fmha_cutlassB_f32_aligned_64x64_k64_sm80(PyTorchMemEffAttention::AttentionBackwardKernel::Params)', 214),
    ],
  ],
  parameters: 0,
};

const gelu: Layer = {
  name: 'aten::gelu',
  forward: [
    elementwise('at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)::{lambda()#2}', 24),
  ],
  grad: 'GeluBackward0',
  backward: [
    [
      'aten::gelu_backward',
      elementwise(
        'at::native::GeluBackwardCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)::{lambda()#2}',
        31,
      ),
    ],
  ],
  parameters: 0,
};

const residual: Layer = {
  name: 'aten::add',
  forward: [add],
  grad: 'AddBackward0',
  backward: [['aten::add_', add]],
  parameters: 0,
};

const embedding: Layer = {
  name: 'aten::embedding',
  inner: 'aten::index_select',
  forward: [
    kernel(
      'void at::native::(anonymous namespace)::indexSelectLargeIndex<float, long, unsigned int, 2, 2, -2, true>' +
        '(at::cuda::detail::TensorInfo<float, unsigned int>, at::cuda::detail::TensorInfo<float const, unsigned int>, ' +
        'at::cuda::detail::TensorInfo<long const, unsigned int>, int, int, unsigned int, unsigned int, long)',
      22,
    ),
  ],
  grad: 'EmbeddingBackward0',
  backward: [
    ['aten::zeros', fill(118)],
    [
      'aten::embedding_dense_backward',
      kernel(
        'void at::native::(anonymous namespace)::compute_grad_weight<float>' +
          '(long const*, float const*, long const*, long, long, float*)',
        84,
      ),
    ],
  ],
  parameters: 1,
  bucket: 16_384_000,
};

/** The loss, and where the backward pass begins. */
export const crossEntropy: Layer = {
  name: 'aten::cross_entropy_loss',
  inner: 'aten::log_softmax',
  forward: [
    kernel(
      'void (anonymous namespace)::softmax_warp_forward<float, float, float, 10, true, false>' +
        '(float*, float const*, int, int, int, bool const*, int, bool)',
      6,
    ),
    kernel(
      'void at::native::(anonymous namespace)::nll_loss_forward_reduce_cuda_kernel_2d<float, float, long>' +
        '(float*, float*, float const*, long const*, float const*, bool, long, long, long, long)',
      4,
      1,
    ),
  ],
  grad: 'LogSoftmaxBackward0',
  backward: [
    [
      'aten::_log_softmax_backward_data',
      kernel(
        'void (anonymous namespace)::softmax_warp_backward<float, float, float, 10, true, false>' +
          '(float*, float const*, float const*, int, int, int, bool const*)',
        7,
      ),
    ],
  ],
  parameters: 0,
};

const block: readonly Layer[] = [
  { ...layerNorm, bucket: 3_152_384 },
  linear(142),
  attention,
  linear(54),
  residual,
  layerNorm,
  linear(188),
  gelu,
  linear(184),
  residual,
];

export const MODEL: readonly { readonly module: string; readonly layers: readonly Layer[] }[] = [
  { module: 'Embedding_0', layers: [embedding] },
  { module: 'Block_0', layers: block },
  { module: 'Block_1', layers: block },
  { module: 'Linear_8', layers: [{ ...linear(38), bucket: 513_000 }] },
];

function kernel(name: string, us: number, blocks = 256, threads = 128): Work {
  const shape = { grid: [blocks, 1, 1], block: [threads, 1, 1] };
  return {
    category: 'kernel',
    name,
    us,
    args: { queued: 0, 'registers per thread': 64, 'shared memory': 0, ...shape },
  };
}

/** A kernel's template arguments are its parameters too. */
function templated(name: string, ...types: readonly string[]): string {
  return `void ${name}<${types.join(', ')}>(${types.join(', ')})`;
}

function elementwise(functor: string, us: number): Work {
  const [name, array] = ['at::native::vectorized_elementwise_kernel', 'at::detail::Array<char*, 2>'];
  return kernel(`void ${name}<4, ${functor}, ${array} >(int, ${functor}, ${array})`, us, 2048);
}

function sum(us: number): Work {
  const functor =
    'at::native::func_wrapper_t<float, at::native::sum_functor<float, float, float>' +
    '::operator()(at::TensorIterator&)::{lambda(float, float)#1}>';
  const op = `at::native::ReduceOp<float, ${functor}, unsigned int, float, 4>`;
  return kernel(`void at::native::reduce_kernel<128, 4, ${op} >(${op})`, us, 16);
}

function gemm(layout: 'tn' | 'nn' | 'nt', us: number): Work {
  return kernel(`ampere_sgemm_128x64_${layout}`, us, 384);
}
