// The training program: data loading, forward, backward with its all-reduces, optimizer, and a look at the loss.
import { flow, Job, PID, type RecordedEvent, type Span, Thread } from './job.ts';
import type { Args, Row } from './kineto.ts';
import { adam, allReduce, copy, crossEntropy, fill, type Layer, MODEL, scale } from './model.ts';

const STEPS = [3, 4, 5];
const RANKS = [0, 1, 2, 3, 4, 5, 6, 7];
const WORKER_TID = 4391;
const COMPUTE = 7;
const COMMUNICATION = 20;

export const DISTRIBUTED_INFO: Args = { backend: 'nccl', rank: 0, world_size: RANKS.length, nccl_version: '2.20.5' };

/** An operator that ran forward, to be run backward. */
interface Done {
  readonly layer: Layer;
  readonly sequence: number;
}

export class Training {
  readonly #job = new Job();
  readonly #main = new Thread(this.#job, PID, 0);
  readonly #worker = new Thread(this.#job, WORKER_TID, 0);
  #sequence = 940;

  run(): readonly Row[] {
    const main = this.#main;
    main.pass(180);
    main.frame('train.py(61): <module>', () => {
      for (const number of STEPS) this.#step(number);
      main.pass(35);
      main.synchronizeDevice();
    });
    return [...nameRows(), ...this.#job.rows, ...profilerRows(main.now)];
  }

  #step(number: number): void {
    const main = this.#main;
    const batches: Span[] = [];
    main.annotate(`ProfilerStep#${number}`, () => {
      main.frame('train.py(34): train_step', () => {
        batches.push(...this.#load());
        const done: Done[] = [];
        main.annotate('DistributedDataParallel.forward', () => {
          main.frame('torch/nn/parallel/distributed.py(1589): forward', () => this.#forward(done));
        });
        main.frame('torch/nn/functional.py(3014): cross_entropy', () => this.#forwardOf(crossEntropy, done));
        main.frame('torch/_tensor.py(525): backward', () => this.#backward(done));
        main.frame('torch/optim/adamw.py(187): step', () => this.#update());
        main.frame('<built-in method item of Tensor object>', () => this.#readLoss());
        main.pass(64);
      });
    });
    const ran = { start: batches[0].start, end: this.#job.stream(COMPUTE).busyUntil };
    this.#job.rows.push(annotationOn(COMPUTE, `ProfilerStep#${number}`, ran));
    main.pass(9);
  }

  #load(): Span[] {
    const main = this.#main;
    main.annotate('enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__', () => main.pass(128));
    return [16_384, 8_192].map((bytes) => {
      const toDevice = copy('HtoD (Pinned -> Device)', 1 + bytes / 12_000, bytes);
      main.pass(11);
      return main.op('aten::to', {}, () => main.op('aten::copy_', {}, () => main.launch(COMPUTE, toDevice)));
    });
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
    const launchAll = (): void => layer.forward.forEach((work) => main.launch(COMPUTE, work));
    main.pass(6);
    main.op(layer.name, { 'Sequence number': sequence, 'Fwd thread id': 0 }, () => {
      this.#job.rows.push(flow('s', 'fwdbwd', sequence, PID, main.tid, main.now));
      if (layer.inner === undefined) launchAll();
      else main.op(layer.inner, {}, launchAll);
    });
    done.push({ layer, sequence });
  }

  /** The caller stands still, without a row that says so, while the worker runs the layers backward. */
  #backward(done: readonly Done[]): void {
    const [main, worker] = [this.#main, this.#worker];
    main.op('aten::ones_like', {}, () => main.op('aten::fill_', {}, () => main.launch(COMPUTE, fill(2))));
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
    for (let i = 0; i < layer.parameters; i++) worker.op('torch::autograd::AccumulateGrad', {}, () => worker.pass(2));
    return layer.bucket === undefined ? [] : [this.#reduce(layer.bucket)];
  }

  /** Averages a bucket of gradients over the ranks, on a stream of its own that waits for them. The event is recorded behind it. */
  #reduce(elements: number): RecordedEvent {
    const worker = this.#worker;
    const args = collectiveArgs(elements);
    worker.op('aten::div_', {}, () => worker.launch(COMPUTE, scale(elements)));
    return worker.op('c10d::allreduce_', {}, () =>
      worker.op('record_param_comms', args, () => {
        worker.wait(COMMUNICATION, worker.record(COMPUTE));
        const span = worker.annotate('nccl:all_reduce', () => worker.launch(COMMUNICATION, allReduce(elements, args)));
        this.#job.rows.push(annotationOn(COMMUNICATION, 'nccl:all_reduce', span));
        return worker.record(COMMUNICATION);
      }),
    );
  }

  #update(): void {
    const main = this.#main;
    main.pass(22);
    main.annotate('Optimizer.step#AdamW.step', () => {
      main.pass(18);
      main.op('aten::_fused_adamw_', {}, () => {
        for (let i = 0; i < 4; i++) main.launch(COMPUTE, adam);
      });
    });
    main.pass(30);
  }

  #readLoss(): void {
    const main = this.#main;
    const toHost = copy('DtoH (Device -> Pageable)', 1.4, 4);
    main.op('aten::item', {}, () => main.op('aten::_local_scalar_dense', {}, () => main.readBack(COMPUTE, toHost)));
  }
}

function collectiveArgs(elements: number): Args {
  return {
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
  };
}

function annotationOn(stream: number, name: string, { start, end }: Span): Row {
  return { ph: 'X', cat: 'gpu_user_annotation', name, pid: 0, tid: stream, start, dur: end - start };
}

function nameRows(): Row[] {
  const row = (name: string, pid: number, tid: number, args: Args): Row => ({
    ph: 'M',
    name,
    pid,
    tid,
    start: 0,
    args,
  });
  return [
    row('process_name', PID, 0, { name: 'python3' }),
    row('process_labels', PID, 0, { labels: 'CPU' }),
    row('process_name', 0, 0, { name: 'python3' }),
    row('process_labels', 0, 0, { labels: 'GPU 0' }),
    row('thread_name', 0, COMPUTE, { name: `stream ${COMPUTE} ` }),
    row('thread_name', 0, COMMUNICATION, { name: `stream ${COMMUNICATION} ` }),
    row('thread_name', PID, PID, { name: `thread ${PID} (python3)` }),
    row('thread_name', PID, WORKER_TID, { name: `thread ${WORKER_TID} (pt_autograd_0)` }),
  ];
}

/** What the profiler says of its own run. */
function profilerRows(end: number): Row[] {
  const span = { pid: 'Spans', tid: 'PyTorch Profiler', start: 0, dur: end };
  return [
    { ph: 'X', cat: 'Trace', name: 'PyTorch Profiler (0)', ...span, args: { 'Op count': 0 } },
    {
      ph: 'i',
      name: 'Iteration Start: PyTorch Profiler',
      pid: 'Traces',
      tid: 'Trace PyTorch Profiler',
      start: 0,
      s: 'g',
    },
    { ph: 'i', name: 'Record Window End', pid: '', tid: '', start: end, s: 'g' },
  ];
}
