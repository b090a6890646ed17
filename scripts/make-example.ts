// npm run make-example: writes the example, three steps of a data-parallel training job as torch.profiler records them on one rank.
//
// Nothing in it was measured: a small program of host threads and streams is played through by the rules of CUDA, with a seeded
// generator in place of a clock. The job trains a text classifier on eight GPUs. Its long pole is there to be found: the embedding's
// gradient is large and is the last that the backward pass makes, so its all-reduce on stream 20 overlaps nothing, and the optimizer on
// stream 7 waits for it. The other all-reduces take time too, but run beside the backward pass.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { seededRandom } from '../src/test-kit/random.ts';

export const EXAMPLE = 'examples/three-steps.json.gz';

const STEPS = [3, 4, 5];
const RANKS = [0, 1, 2, 3, 4, 5, 6, 7];
const PID = 4242;
const WORKER_TID = 4391;
const COMPUTE = 7;
const COMMUNICATION = 20;
/** `baseTimeNanoseconds`: the times of rows are µs since then. */
const BASE_UNIX_NS = '1730000000000000000';
const FIRST_NS = 86_400_000_000_000;

type Args = Readonly<Record<string, unknown>>;

/** A row of `traceEvents`. Times in ns since the recording began. */
interface Row {
  readonly ph: 'X' | 's' | 'f' | 'i' | 'M';
  readonly cat?: string;
  readonly name: string;
  readonly pid: number | string;
  readonly tid: number | string;
  readonly start: number;
  readonly dur?: number;
  readonly id?: number;
  readonly bp?: 'e';
  readonly s?: 'g';
  readonly args?: Args;
}

/** Device work, and how long it takes (µs). */
interface Work {
  readonly category: 'kernel' | 'gpu_memcpy' | 'gpu_memset';
  readonly name: string;
  readonly us: number;
  readonly args: Args;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

interface Call extends Span {
  readonly correlation: number;
}

interface RecordedEvent {
  readonly correlation: number;
  readonly eventId: number;
  readonly stream: number;
  /** When the work that it captured is over. */
  readonly time: number;
}

/** Host threads, and the streams that they feed. Work starts after its launch, after the work before it, and after what was waited for. */
class Job {
  readonly rows: Row[] = [];
  readonly #random = seededRandom(20);
  readonly #streams = new Map([COMPUTE, COMMUNICATION].map((id) => [id, { busyUntil: 0, heldUntil: 0, ranFrom: Infinity }]));
  #lastCorrelation = 21_806;
  #lastExternalId = 0;
  #lastPythonId = 0;

  /** About `us` microseconds, in ns. */
  about(us: number): number {
    return Math.round(us * 1000 * (0.92 + 0.16 * this.#random()));
  }

  nextCorrelation = (): number => ++this.#lastCorrelation;
  nextExternalId = (): number => ++this.#lastExternalId;
  nextPythonId = (): number => ++this.#lastPythonId;

  stream(id: number): { busyUntil: number; heldUntil: number; ranFrom: number } {
    const stream = this.#streams.get(id);
    if (stream === undefined) throw new Error(`no stream ${id}`);
    return stream;
  }

  run(id: number, { category, name, us, args }: Work, launch: Call, externalId: number): Span {
    const stream = this.stream(id);
    const start = Math.max(
      launch.start + this.about(6.4),
      stream.busyUntil + this.about(1.2),
      stream.heldUntil + this.about(1.6),
    );
    const dur = this.about(us);
    stream.busyUntil = start + dur;
    stream.ranFrom = Math.min(stream.ranFrom, start);
    const where = { 'External id': externalId, device: 0, context: 1, stream: id, correlation: launch.correlation };
    this.rows.push({ ph: 'X', cat: category, name, pid: 0, tid: id, start, dur, args: { ...where, ...args } });
    this.rows.push(flow('f', 'ac2g', launch.correlation, 0, id, start));
    return { start, end: start + dur };
  }

  sync(kind: string, stream: number, call: Call, args: Args = {}): void {
    const shared = { 'External id': call.correlation, cuda_sync_kind: kind, ...args, stream };
    this.rows.push({
      ph: 'X',
      cat: 'cuda_sync',
      name: kind,
      pid: 0,
      tid: stream,
      start: call.start + 300,
      dur: call.end - call.start - 400,
      args: { ...shared, correlation: call.correlation, device: 0, context: 1 },
    });
  }
}

/** A host thread: each thing that it does moves its clock. */
class Thread {
  now: number;
  readonly tid: number;
  readonly #job: Job;
  readonly #openOps: number[] = [];
  readonly #openFrames: number[] = [];

  constructor(job: Job, tid: number, now: number) {
    this.#job = job;
    this.tid = tid;
    this.now = now;
  }

  /** Time in Python that no row shows. */
  python(us: number): void {
    this.now += this.#job.about(us);
  }

  op(name: string, args: Args, body: () => void): void {
    const id = this.#job.nextExternalId();
    this.python(2.2);
    this.#openOps.push(id);
    this.#span('cpu_op', name, { 'External id': id, ...args }, () => {
      this.python(3.1);
      body();
      this.python(1.1);
    });
    this.#openOps.pop();
  }

  annotate(name: string, body: () => void): void {
    this.#span('user_annotation', name, { 'External id': this.#job.nextExternalId() }, body);
  }

  frame(name: string, body: () => void): void {
    const id = this.#job.nextPythonId();
    const parent = this.#openFrames.at(-1) ?? null;
    this.#openFrames.push(id);
    this.#span('python_function', name, { 'Python parent id': parent, 'Python id': id }, () => {
      this.python(1.4);
      body();
      this.python(0.9);
    });
    this.#openFrames.pop();
  }

  /** Returns when the work is enqueued, or, where the call `blocks`, once it is done. */
  launch(stream: number, work: Work, blocks = false): Span {
    const [name, cbid] = work.category === 'gpu_memcpy' ? (['cudaMemcpyAsync', 41] as const) : (['cudaLaunchKernel', 211] as const);
    const { start, correlation } = this.#begin();
    const span = this.#job.run(stream, work, { start, correlation, externalId: this.#externalId() });
    this.#job.rows.push(flow('s', 'ac2g', correlation, PID, this.tid, start));
    this.#return(name, cbid, { start, correlation, us: 4.6, notBefore: blocks ? span.end + this.#job.about(7) : 0 });
    return span;
  }

  record(stream: number, eventId: number): RecordedEvent {
    const { correlation } = this.#call('cudaEventRecord', 135, 1.1);
    const { busyUntil, heldUntil } = this.#job.stream(stream);
    return { correlation, eventId, stream, time: Math.max(busyUntil, heldUntil) };
  }

  wait(stream: number, { correlation, eventId, stream: recordedOn, time }: RecordedEvent): void {
    const call = this.#call('cudaStreamWaitEvent', 147, 1.3);
    const waiting = this.#job.stream(stream);
    waiting.heldUntil = Math.max(waiting.heldUntil, time);
    this.#job.sync('Stream Wait Event', stream, call, {
      wait_on_stream: recordedOn,
      wait_on_cuda_event_record_corr_id: correlation,
      wait_on_cuda_event_id: eventId,
    });
  }

  /** A copy to pageable memory, and the stream's synchronisation after it: what `.item()` does. */
  readBack(stream: number, work: Work): void {
    const before = this.now;
    const copy = this.launch(stream, work);
    this.#lengthenCall(before, copy.end + this.#job.about(7));
    this.#job.sync('Stream Sync', stream, this.#call('cudaStreamSynchronize', 131, 3.4));
  }

  synchronizeDevice(): void {
    this.#job.sync('Context Sync', -1, this.#call('cudaDeviceSynchronize', 165, 8));
  }

  #externalId(): number {
    return this.#openOps.at(-1) ?? 0;
  }

  #call(name: string, cbid: number, us: number): Call {
    const start = this.now;
    this.python(us);
    const correlation = this.#job.nextCorrelation();
    const args = { 'External id': this.#externalId(), cbid, correlation };
    const place = { pid: PID, tid: this.tid, start, dur: this.now - start };
    this.#job.rows.push({ ph: 'X', cat: 'cuda_runtime', name, ...place, args });
    this.python(0.4);
    return { start, end: start + place.dur, correlation };
  }

  /** The call that began at `start` returns only at `end`. */
  #lengthenCall(start: number, end: number): void {
    const { rows } = this.#job;
    const at = rows.findLastIndex((row) => row.cat === 'cuda_runtime' && row.tid === this.tid && row.start === start);
    rows[at] = { ...rows[at], dur: end - start };
    this.now = end + 300;
  }

  #span(cat: string, name: string, args: Args, body: () => void): void {
    const start = this.now;
    body();
    this.#job.rows.push({ ph: 'X', cat, name, pid: PID, tid: this.tid, start, dur: this.now - start, args });
  }
}

function flow(ph: 's' | 'f', cat: string, id: number, pid: number, tid: number, start: number): Row {
  return { ph, cat, name: cat, pid, tid, start, id, ...(ph === 'f' ? { bp: 'e' } : {}) };
}

const kernel = (name: string, us: number, blocks = 256, threads = 128): Work => ({
  category: 'kernel',
  name,
  us,
  args: { queued: 0, 'registers per thread': 64, 'shared memory': 0, grid: [blocks, 1, 1], block: [threads, 1, 1] },
});

const copy = (direction: string, us: number, bytes: number): Work => ({
  category: 'gpu_memcpy',
  name: `Memcpy ${direction}`,
  us,
  args: { bytes, 'memory bandwidth (GB/s)': Number((bytes / us / 1000).toFixed(3)) },
});

const elementwise = (functor: string, us: number): Work =>
  kernel(
    `void at::native::vectorized_elementwise_kernel<4, ${functor}, at::detail::Array<char*, 2> >(int, ${functor}, at::detail::Array<char*, 2>)`,
    us,
    2048,
  );
const add = elementwise('at::native::CUDAFunctor_add<float>', 13);
const sum = (us: number): Work =>
  kernel(
    'void at::native::reduce_kernel<128, 4, at::native::ReduceOp<float, at::native::func_wrapper_t<float, at::native::sum_functor<float, float, float>::operator()(at::TensorIterator&)::{lambda(float, float)#1}>, unsigned int, float, 4> >(at::native::ReduceOp<float, at::native::func_wrapper_t<float, at::native::sum_functor<float, float, float>::operator()(at::TensorIterator&)::{lambda(float, float)#1}>, unsigned int, float, 4>)',
    us,
    16,
  );
const gemm = (layout: 'tn' | 'nn' | 'nt', us: number): Work => kernel(`ampere_sgemm_128x64_${layout}`, us, 384);

/** An operator of the model with its backward pass. */
interface Layer {
  readonly name: string;
  readonly inner: string;
  readonly forward: readonly Work[];
  readonly grad: string;
  readonly backward: readonly (readonly [op: string, work: Work])[];
  readonly parameters: number;
  /** Gradients, in elements, that are complete and are reduced once this layer's backward pass is enqueued. */
  readonly bucket?: number;
}

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

const layerNorm = (bucket?: number): Layer => ({
  name: 'aten::layer_norm',
  inner: 'aten::native_layer_norm',
  forward: [
    kernel(
      'void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, float>(int, float, float const*, float const*, float const*, float*, float*, float*)',
      14,
      2048,
    ),
  ],
  grad: 'NativeLayerNormBackward0',
  backward: [
    [
      'aten::native_layer_norm_backward',
      kernel(
        'void at::native::(anonymous namespace)::layer_norm_grad_input_kernel_vectorized<float, float>(float const*, float const*, float const*, float const*, float const*, float*, int)',
        19,
        2048,
      ),
    ],
  ],
  parameters: 2,
  ...(bucket === undefined ? {} : { bucket }),
});

const attention: Layer = {
  name: 'aten::scaled_dot_product_attention',
  inner: 'aten::_scaled_dot_product_efficient_attention',
  forward: [
    kernel('fmha_cutlassF_f32_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel<float, cutlass::arch::Sm80, true, 64, 64, 64, true, true>::Params)', 96),
  ],
  grad: 'ScaledDotProductEfficientAttentionBackward0',
  backward: [
    [
      'aten::_scaled_dot_product_efficient_attention_backward',
      kernel('fmha_cutlassB_f32_aligned_64x64_k64_sm80(PyTorchMemEffAttention::AttentionBackwardKernel<cutlass::arch::Sm80, float, true, false, true, 64, 64, 64, false>::Params)', 214),
    ],
  ],
  parameters: 0,
};

const gelu: Layer = {
  name: 'aten::gelu',
  inner: 'aten::gelu',
  forward: [elementwise('at::native::GeluCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)::{lambda()#2}', 24)],
  grad: 'GeluBackward0',
  backward: [
    ['aten::gelu_backward', elementwise('at::native::GeluBackwardCUDAKernelImpl(at::TensorIteratorBase&, at::native::GeluType)::{lambda()#2}', 31)],
  ],
  parameters: 0,
};

const residual: Layer = {
  name: 'aten::add',
  inner: 'aten::add',
  forward: [add],
  grad: 'AddBackward0',
  backward: [['aten::add_', add]],
  parameters: 0,
};

const embedding: Layer = {
  name: 'aten::embedding',
  inner: 'aten::index_select',
  forward: [
    kernel('void at::native::(anonymous namespace)::indexSelectLargeIndex<float, long, unsigned int, 2, 2, -2, true>(at::cuda::detail::TensorInfo<float, unsigned int>, at::cuda::detail::TensorInfo<float const, unsigned int>, at::cuda::detail::TensorInfo<long const, unsigned int>, int, int, unsigned int, unsigned int, long)', 22),
  ],
  grad: 'EmbeddingBackward0',
  backward: [
    ['aten::zeros', elementwise('at::native::FillFunctor<float>', 118)],
    [
      'aten::embedding_dense_backward',
      kernel('void at::native::(anonymous namespace)::compute_grad_weight<float>(long const*, float const*, long const*, long, long, float*)', 84),
    ],
  ],
  parameters: 1,
  bucket: 16_384_000,
};

const crossEntropy: Layer = {
  name: 'aten::cross_entropy_loss',
  inner: 'aten::log_softmax',
  forward: [
    kernel('void (anonymous namespace)::softmax_warp_forward<float, float, float, 10, true, false>(float*, float const*, int, int, int, bool const*, int, bool)', 6),
    kernel('void at::native::(anonymous namespace)::nll_loss_forward_reduce_cuda_kernel_2d<float, float, long>(float*, float*, float const*, long const*, float const*, bool, long, long, long, long)', 4, 1),
  ],
  grad: 'LogSoftmaxBackward0',
  backward: [
    [
      'aten::_log_softmax_backward_data',
      kernel('void (anonymous namespace)::softmax_warp_backward<float, float, float, 10, true, false>(float*, float const*, float const*, int, int, int, bool const*)', 7),
    ],
  ],
  parameters: 0,
};

const block: readonly Layer[] = [
  layerNorm(3_152_384),
  linear(142),
  attention,
  linear(54),
  residual,
  layerNorm(),
  linear(188),
  gelu,
  linear(184),
  residual,
];

const MODEL: readonly { readonly module: string; readonly layers: readonly Layer[] }[] = [
  { module: 'Embedding_0', layers: [embedding] },
  { module: 'Block_0', layers: block },
  { module: 'Block_1', layers: block },
  { module: 'Linear_8', layers: [{ ...linear(38), bucket: 513_000 }] },
];

const adam = kernel(
  'void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous namespace)::FusedOptimizerTensorListMetadata<4>, at::native::(anonymous namespace)::FusedAdamMathFunctor<float, 4, (at::native::ADAM_MODE)1, false>, float const*, double, double, double, double, double, bool, float*, float*>(at::native::(anonymous namespace)::FusedOptimizerTensorListMetadata<4>, at::native::(anonymous namespace)::FusedAdamMathFunctor<float, 4, (at::native::ADAM_MODE)1, false>, float const*, double, double, double, double, double, bool, float*, float*)',
  285,
  320,
  512,
);

/** A ring over eight ranks on PCIe: each element crosses 2 × 7 ∕ 8 times, at about 11 GB/s. */
const allReduce = (elements: number): Work => {
  const { args, ...work } = kernel('ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*, unsigned long, ncclWork*)', 14 + elements * 0.00038, 4, 512);
  return { ...work, args: { ...args, ...collectiveArgs(elements) } };
};

const collectiveArgs = (elements: number): Args => ({
  'Collective name': 'allreduce',
  'In msg nelems': elements,
  'Out msg nelems': elements,
  'Group size': RANKS.length,
  dtype: 'Float',
  'In split size': '[]',
  'Out split size': '[]',
  'Process Group Name': '0',
  'Process Group Description': 'default_pg',
  'Process Group Ranks': `[${RANKS.join(', ')}]`,
});

/** An operator that ran forward, to be run backward. */
interface Done {
  readonly layer: Layer;
  readonly sequence: number;
}

/** The training program. */
class Training {
  readonly #job = new Job();
  readonly #main = new Thread(this.#job, PID, 0);
  readonly #worker = new Thread(this.#job, WORKER_TID, 0);
  #sequence = 940;
  #lastEventId = 0;

  run(): readonly Row[] {
    const main = this.#main;
    main.python(180);
    main.frame('train.py(61): <module>', () => {
      for (const number of STEPS) this.#step(number);
      main.python(35);
      main.synchronizeDevice();
    });
    return [...nameRows(), ...hostFirst(this.#job.rows), ...spanRows(main.now)];
  }

  #step(number: number): void {
    const main = this.#main;
    const start = main.now;
    main.annotate(`ProfilerStep#${number}`, () => {
      main.frame('train.py(34): train_step', () => {
        this.#load();
        const done: Done[] = [];
        main.annotate('DistributedDataParallel.forward', () => {
          main.frame('torch/nn/parallel/distributed.py(1589): forward', () => this.#forward(done));
        });
        main.frame('torch/nn/functional.py(3014): cross_entropy', () => this.#forwardOf(crossEntropy, done));
        main.frame('torch/_tensor.py(525): backward', () => this.#backward(done));
        main.frame('torch/optim/adamw.py(187): step', () => this.#update());
        main.frame('<built-in method item of Tensor object>', () => this.#readLoss());
        main.python(64);
      });
    });
    this.#annotateStream(`ProfilerStep#${number}`, COMPUTE, start);
    main.python(9);
  }

  #load(): void {
    const main = this.#main;
    main.annotate('enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__', () => main.python(128));
    for (const bytes of [16_384, 8_192]) {
      main.python(11);
      main.op('aten::to', {}, () => {
        main.op('aten::copy_', {}, () => main.launch(COMPUTE, copy('HtoD (Pinned -> Device)', 1 + bytes / 12_000, bytes)));
      });
    }
  }

  #forward(done: Done[]): void {
    for (const { module, layers } of MODEL) {
      this.#main.frame(`nn.Module: ${module}`, () => {
        for (const layer of layers) this.#forwardOf(layer, done);
      });
    }
  }

  #forwardOf(layer: Layer, done: Done[]): void {
    const main = this.#main;
    const sequence = this.#sequence++;
    main.python(6);
    main.op(layer.name, { 'Sequence number': sequence, 'Fwd thread id': 0 }, () => {
      this.#job.rows.push(flow('s', 'fwdbwd', sequence, PID, main.tid, main.now));
      const launchAll = (): void => layer.forward.forEach((work) => main.launch(COMPUTE, work));
      if (layer.inner === layer.name) launchAll();
      else main.op(layer.inner, {}, launchAll);
    });
    done.push({ layer, sequence });
  }

  /** The caller stands still in C++ while the worker runs the graph backwards. */
  #backward(done: readonly Done[]): void {
    const [main, worker] = [this.#main, this.#worker];
    main.op('aten::ones_like', {}, () => main.op('aten::fill_', {}, () => main.launch(COMPUTE, elementwise('at::native::FillFunctor<float>', 2))));
    main.frame('torch/autograd/graph.py(744): _engine_run_backward', () => {
      worker.now = main.now + this.#job.about(34);
      const reductions = done.toReversed().flatMap((each) => this.#backwardOf(each));
      for (const reduction of reductions) worker.wait(COMPUTE, reduction);
      main.now = worker.now + this.#job.about(21);
    });
  }

  #backwardOf({ layer, sequence }: Done): RecordedEvent[] {
    const worker = this.#worker;
    const args = { 'Sequence number': sequence, 'Fwd thread id': 1 };
    worker.op(`autograd::engine::evaluate_function: ${layer.grad}`, args, () => {
      this.#job.rows.push(flow('f', 'fwdbwd', sequence, PID, worker.tid, worker.now));
      worker.op(layer.grad, args, () => {
        for (const [op, work] of layer.backward) worker.op(op, {}, () => worker.launch(COMPUTE, work));
      });
    });
    for (let i = 0; i < layer.parameters; i++) {
      worker.op('torch::autograd::AccumulateGrad', {}, () => worker.python(2));
    }
    return layer.bucket === undefined ? [] : [this.#reduce(layer.bucket)];
  }

  /** Averages a bucket's gradients over the ranks, on a stream of its own that waits for the gradients. */
  #reduce(elements: number): RecordedEvent {
    const worker = this.#worker;
    const scale = elementwise('at::native::BUnaryFunctor<float, float, float, at::native::binary_internal::MulFunctor<float> >', 2 + elements / 56_000);
    worker.op('aten::div_', {}, () => worker.launch(COMPUTE, scale));
    let finished: RecordedEvent | undefined;
    worker.op('c10d::allreduce_', {}, () => {
      worker.op('record_param_comms', collectiveArgs(elements), () => {
        const ready = worker.record(COMPUTE, ++this.#lastEventId);
        worker.wait(COMMUNICATION, ready);
        worker.annotate('nccl:all_reduce', () => {
          const span = worker.launch(COMMUNICATION, allReduce(elements));
          this.#job.rows.push(annotationOn(COMMUNICATION, 'nccl:all_reduce', span));
        });
        finished = worker.record(COMMUNICATION, ++this.#lastEventId);
      });
    });
    if (finished === undefined) throw new Error('the collective was not enqueued');
    return finished;
  }

  #update(): void {
    const main = this.#main;
    main.python(22);
    main.annotate('Optimizer.step#AdamW.step', () => {
      main.python(18);
      main.op('aten::_fused_adamw_', {}, () => {
        for (let i = 0; i < 4; i++) main.launch(COMPUTE, adam);
      });
    });
    main.python(30);
  }

  #readLoss(): void {
    const main = this.#main;
    main.op('aten::item', {}, () => {
      main.op('aten::_local_scalar_dense', {}, () => main.readBack(COMPUTE, copy('DtoH (Device -> Pageable)', 1.4, 4)));
    });
  }

  #annotateStream(name: string, id: number, since: number): void {
    const stream = this.#job.stream(id);
    this.#job.rows.push(annotationOn(id, name, { start: Math.max(stream.ranFrom, since), end: stream.busyUntil }));
    stream.ranFrom = Infinity;
  }
}

function annotationOn(stream: number, name: string, { start, end }: Span): Row {
  return { ph: 'X', cat: 'gpu_user_annotation', name, pid: 0, tid: stream, start, dur: end - start, args: {} };
}

/** In the order in which the profiler writes them: what the framework saw, then what the driver saw, each by time. */
function hostFirst(rows: readonly Row[]): Row[] {
  const isOfFramework = ({ cat = '' }: Row): number => (/^(cpu_op|user_annotation|python_function|fwdbwd)$/.test(cat) ? 0 : 1);
  return rows.toSorted((a, b) => isOfFramework(a) - isOfFramework(b) || a.start - b.start || (b.dur ?? 0) - (a.dur ?? 0));
}

function nameRows(): Row[] {
  const row = (name: string, pid: number, tid: number, args: Args): Row => ({ ph: 'M', name, pid, tid, start: 0, args });
  return [
    row('process_name', PID, 0, { name: 'python3' }),
    row('process_labels', PID, 0, { labels: 'CPU' }),
    row('process_name', 0, 0, { name: 'python3' }),
    row('process_labels', 0, 0, { labels: 'GPU 0' }),
    ...[COMPUTE, COMMUNICATION].map((stream) => row('thread_name', 0, stream, { name: `stream ${stream} ` })),
    row('thread_name', PID, PID, { name: `thread ${PID} (python3)` }),
    row('thread_name', PID, WORKER_TID, { name: `thread ${WORKER_TID} (pt_autograd_0)` }),
  ];
}

/** What the profiler says of itself. */
function spanRows(end: number): Row[] {
  return [
    { ph: 'X', cat: 'Trace', name: 'PyTorch Profiler (0)', pid: 'Spans', tid: 'PyTorch Profiler', start: 0, dur: end, args: { 'Op count': 0 } },
    { ph: 'i', name: 'Iteration Start: PyTorch Profiler', pid: 'Traces', tid: 'Trace PyTorch Profiler', start: 0, s: 'g' },
    { ph: 'i', name: 'Record Window End', pid: '', tid: '', start: end, s: 'g' },
  ];
}

/** The example's JSON. The same on every machine and at any time. */
export function exampleJson(): string {
  const rows = new Training().run();
  return `${[
    '{',
    '  "schemaVersion": 1,',
    '  "deviceProperties": [',
    '    {',
    '      "id": 0, "name": "NVIDIA A10", "totalGlobalMem": 23609475072,',
    '      "computeMajor": 8, "computeMinor": 6,',
    '      "maxThreadsPerBlock": 1024, "maxThreadsPerMultiprocessor": 1536,',
    '      "regsPerBlock": 65536, "warpSize": 32, "numSms": 72',
    '    }',
    '  ],',
    '  "cuda_runtime_version": 12010, "cuda_driver_version": 12020, "cupti_version": 18, "with_stack": 1,',
    `  "distributedInfo": { ${fields({ backend: 'nccl', rank: 0, world_size: RANKS.length, nccl_version: '2.20.5' })} },`,
    '  "displayTimeUnit": "ms",',
    `  "baseTimeNanoseconds": ${BASE_UNIX_NS},`,
    '  "traceEvents": [',
    rows.map(writeRow).join(',\n'),
    '  ],',
    '  "traceName": "three-steps.json"',
    '}',
  ].join('\n')}\n`;
}

function writeRow({ start, dur, args, ...head }: Row): string {
  const times = `"ts": ${micros(FIRST_NS + start)}${dur === undefined ? '' : `, "dur": ${micros(dur)}`}`;
  const lines = [`    ${fields(head)}`, `    ${times}`];
  if (args !== undefined) lines.push(`    "args": {\n      ${fields(args)}\n    }`);
  return `  {\n${lines.join(',\n')}\n  }`;
}

const fields = (object: object): string =>
  Object.entries(object)
    .map(([key, value]) => `"${key}": ${JSON.stringify(value)}`)
    .join(', ');

/** Three decimals, digit by digit: a double near an epoch moves in larger steps. */
const micros = (ns: number): string => `${Math.floor(ns / 1000)}.${String(ns % 1000).padStart(3, '0')}`;

function writeExample(file: string): void {
  const json = exampleJson();
  // What zlib makes of the same bytes differs between its versions: a file that says the same is left alone.
  if (existsSync(file) && gunzipSync(readFileSync(file)).toString() === json) return;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, gzipSync(json, { level: 9 }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeExample(process.argv[2] ?? EXAMPLE);
