import { expect, test } from 'vitest';
import { shortKernelName, shortKernelNames } from './kernel-name.ts';

const HALF_FILL =
  'void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<c10::Half>, at::detail::Array<char*, 1> >(int, at::native::FillFunctor<c10::Half>, at::detail::Array<char*, 1>)';

/** Names of real traces, some with shorter argument lists. */
test.each([
  [HALF_FILL, 'vectorized_elementwise_kernel<FillFunctor<Half>>'],
  [
    'void at::native::vectorized_elementwise_kernel<4, at::native::exp_kernel_cuda(at::TensorIteratorBase&)::{lambda()#2}::operator()() const::{lambda()#2}::operator()() const::{lambda(float)#1}, at::detail::Array<char*, 2> >(int, at::native::exp_kernel_cuda(at::TensorIteratorBase&)::{lambda()#2}::operator()() const::{lambda()#2}::operator()() const::{lambda(float)#1}, at::detail::Array<char*, 2>)',
    'vectorized_elementwise_kernel<exp_kernel_cuda(float)>',
  ],
  [
    'void at::native::reduce_kernel<512, 1, at::native::ReduceOp<double, at::native::func_wrapper_t<double, at::native::sum_functor<double, double, double>::operator()(at::TensorIterator&)::{lambda(double, double)#1}>, unsigned int, double, 4> >(at::native::ReduceOp<double>)',
    'reduce_kernel<sum_functor<double>>',
  ],
  [
    'void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl<at::native::tanh_backward_kernel_cuda(at::TensorIteratorBase&)::{lambda()#2}::operator()() const::{lambda(float, float)#1}>(at::TensorIteratorBase&)::{lambda(int)#1}>(int)',
    'elementwise_kernel<tanh_backward_kernel_cuda(float)>',
  ],
  [
    'void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_128x64_32x6_nn_align4>(cutlass_80_tensorop_s1688gemm_128x64_32x6_nn_align4::Params)',
    'cutlass_80_tensorop_s1688gemm_128x64_32x6_nn_align4',
  ],
  [
    'std::enable_if<!(false), void>::type internal::gemvx::kernel<int, int, float, float, false, 7, cublasGemvParams<cublasGemvTensorStridedBatched<float const>, float> >(cublasGemvParams<float>)',
    'gemvx::kernel<int, float, cublasGemvParams<cublasGemvTensorStridedBatched<float>, float>>',
  ],
  [
    'void at::native::(anonymous namespace)::CatArrayBatchedCopy<float, unsigned int, 3, 64, 64>(float*, at::native::(anonymous namespace)::CatArrInputTensorMetadata<float, unsigned int, 64, 64>, int)',
    'CatArrayBatchedCopy<float, uint>',
  ],
  [
    'void cudnn::ops::nhwcToNchwKernel<float, float, float, true, false, (cudnnKernelDataType_t)0>(cudnn::ops::nhwc2nchw_params_t<float>)',
    'nhwcToNchwKernel<float>',
  ],
  ['ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)', 'ncclKernel_AllReduce_RING_LL_Sum_float'],
  ['cask_cudnn::computeOffsetsKernel(cask_cudnn::ComputeOffsetsParams)', 'computeOffsetsKernel'],
  ['unsigned int ns::count<(int)3>(int*)', 'count'],
  ['void ns::A<int>::operator()(float) const', 'A<int>'],
  // What is no signature stays.
  ['Memcpy HtoD (Pinned -> Device)', 'Memcpy HtoD (Pinned -> Device)'],
  ['Memset (Device)', 'Memset (Device)'],
  ['triton_red_fused_add_mean_mul_pow_rsqrt_0', 'triton_red_fused_add_mean_mul_pow_rsqrt_0'],
  ['volta_sgemm_128x128_tn', 'volta_sgemm_128x128_tn'],
  ['_ZN7ck_tile6kentryILi1EEEvv', '_ZN7ck_tile6kentryILi1EEEvv'],
  ['', ''],
])('%.60s', (name, short) => expect(shortKernelName(name)).toBe(short));

test('a name that was cut off by its writer', () => {
  expect(shortKernelName(HALF_FILL.slice(0, 86))).toBe('vectorized_elementwise_kernel<FillFunctor<Half>>');
});

test('what tells two names apart is kept: numbers first, then all arguments, then the name as written', () => {
  const softmax = (width: number) =>
    `void (anonymous namespace)::softmax_warp_forward<float, float, ${width}, true>(float*)`;
  const scan = (space: string) => `void ${space}::Scan<int>(int)`;
  const names = [HALF_FILL, softmax(1), softmax(10), scan('cub'), scan('thrust')];
  expect([...shortKernelNames(names)]).toEqual([
    [HALF_FILL, 'vectorized_elementwise_kernel<FillFunctor<Half>>'],
    [softmax(1), 'softmax_warp_forward<float, 1, true>'],
    [softmax(10), 'softmax_warp_forward<float, 10, true>'],
    [scan('cub'), scan('cub')],
    [scan('thrust'), scan('thrust')],
  ]);
});

test('of a name of megabytes no more is looked at than any real one has', () =>
  expect(shortKernelName('k<'.repeat(5_000_000)).length).toBeLessThan(1_000));

test.each([
  '<'.repeat(400_000),
  '('.repeat(400_000),
  ')>'.repeat(200_000),
  `${'a<'.repeat(200_000)}${'>'.repeat(200_000)}`,
  `${'x<('.repeat(150_000)}${')'.repeat(150_000)}`,
  `void f<${'int,'.repeat(100_000)}>(int)`,
  ' a('.repeat(150_000),
  '{('.repeat(200_000),
  `${'a::'.repeat(150_000)}(`,
])('a hostile name takes no more than its length: %.12s…', (name) => {
  const start = performance.now();
  const short = shortKernelName(name);
  expect(performance.now() - start).toBeLessThan(5_000);
  expect(short.length).toBeLessThanOrEqual(name.length);
});
