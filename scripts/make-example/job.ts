// Host threads and the streams that they feed, played through by the rules of CUDA: device work starts after its launch, after the
// work before it on its stream, and after the events that its stream was told to wait for.
import { seededRandom } from '../../src/test-kit/random.ts';
import type { Args, Row } from './kineto.ts';

export const PID = 4242;

/** Device work, and how long it takes (µs). */
export interface Work {
  readonly category: 'kernel' | 'gpu_memcpy';
  readonly name: string;
  readonly us: number;
  readonly args: Args;
}

/** Times in ns since the recording began. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface RecordedEvent {
  readonly correlation: number;
  readonly eventId: number;
  readonly stream: number;
  /** When the work that it captured is over. */
  readonly time: number;
}

interface Stream {
  busyUntil: number;
  /** The latest event that it was told to wait for. */
  heldUntil: number;
}

interface Launch {
  readonly start: number;
  readonly correlation: number;
  readonly externalId: number;
}

export class Job {
  readonly rows: Row[] = [];
  readonly #random = seededRandom(20);
  readonly #streams = new Map<number, Stream>();
  #lastCorrelation = 21_806;
  #lastExternalId = 0;
  #lastPythonId = 0;
  #lastEventId = 0;

  nextCorrelation = (): number => ++this.#lastCorrelation;
  nextExternalId = (): number => ++this.#lastExternalId;
  nextPythonId = (): number => ++this.#lastPythonId;
  nextEventId = (): number => ++this.#lastEventId;

  /** About `us` microseconds, in ns. */
  about(us: number): number {
    return Math.round(us * 1000 * (0.92 + 0.16 * this.#random()));
  }

  stream(id: number): Stream {
    const known = this.#streams.get(id);
    if (known !== undefined) return known;
    const stream = { busyUntil: 0, heldUntil: 0 };
    this.#streams.set(id, stream);
    return stream;
  }

  run(id: number, { category, name, us, args }: Work, launch: Launch): Span {
    const stream = this.stream(id);
    const start = Math.max(
      launch.start + this.about(6.4),
      stream.busyUntil + this.about(1.2),
      stream.heldUntil + this.about(1.6),
    );
    const dur = this.about(us);
    stream.busyUntil = start + dur;
    const place = { device: 0, context: 1, stream: id, correlation: launch.correlation };
    const allArgs = { 'External id': launch.externalId, ...place, ...args };
    this.rows.push({ ph: 'X', cat: category, name, pid: 0, tid: id, start, dur, args: allArgs });
    this.rows.push(flow('f', 'ac2g', launch.correlation, 0, id, start));
    return { start, end: start + dur };
  }
}

/** A host thread: each thing that it does moves its clock. */
export class Thread {
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

  /** Works, or runs Python, without a row of its own. */
  pass(us: number): void {
    this.now += this.#job.about(us);
  }

  op<T>(name: string, args: Args, body: () => T): T {
    const id = this.#job.nextExternalId();
    this.pass(2.2);
    this.#openOps.push(id);
    const result = this.#span('cpu_op', name, { 'External id': id, ...args }, () => this.#within(3.1, body, 1.1));
    this.#openOps.pop();
    return result;
  }

  annotate<T>(name: string, body: () => T): T {
    return this.#span('user_annotation', name, { 'External id': this.#job.nextExternalId() }, body);
  }

  frame(name: string, body: () => void): void {
    const id = this.#job.nextPythonId();
    const args = { 'Python parent id': this.#openFrames.at(-1) ?? null, 'Python id': id };
    this.#openFrames.push(id);
    this.#span('python_function', name, args, () => this.#within(1.4, body, 0.9));
    this.#openFrames.pop();
  }

  launch(stream: number, work: Work): Span {
    return this.#launch(stream, work, () => 0);
  }

  /** A copy to pageable memory returns when it is done: what `.item()` does, with the synchronisation that it adds. */
  readBack(stream: number, work: Work): void {
    this.#launch(stream, work, ({ end }) => end + this.#job.about(7));
    const call = this.#call('cudaStreamSynchronize', 131, 3.4);
    this.#sync('Stream Sync', stream, call, {});
  }

  record(stream: number): RecordedEvent {
    const { correlation } = this.#call('cudaEventRecord', 135, 1.1);
    const { busyUntil, heldUntil } = this.#job.stream(stream);
    return { correlation, eventId: this.#job.nextEventId(), stream, time: Math.max(busyUntil, heldUntil) };
  }

  wait(stream: number, event: RecordedEvent): void {
    const call = this.#call('cudaStreamWaitEvent', 147, 1.3);
    const waiting = this.#job.stream(stream);
    waiting.heldUntil = Math.max(waiting.heldUntil, event.time);
    this.#sync('Stream Wait Event', stream, call, {
      wait_on_stream: event.stream,
      wait_on_cuda_event_record_corr_id: event.correlation,
      wait_on_cuda_event_id: event.eventId,
    });
  }

  synchronizeDevice(): void {
    this.#sync('Context Sync', -1, this.#call('cudaDeviceSynchronize', 165, 8), {});
  }

  #launch(stream: number, work: Work, blocksUntil: (span: Span) => number): Span {
    const start = this.now;
    const correlation = this.#job.nextCorrelation();
    const span = this.#job.run(stream, work, { start, correlation, externalId: this.#externalId() });
    this.#job.rows.push(flow('s', 'ac2g', correlation, PID, this.tid, start));
    this.now = Math.max(start + this.#job.about(4.6), blocksUntil(span));
    const [name, cbid] = work.category === 'gpu_memcpy' ? ['cudaMemcpyAsync', 41] : ['cudaLaunchKernel', 211];
    this.#addCall(String(name), { cbid, correlation }, start);
    return span;
  }

  #call(name: string, cbid: number, us: number): Span & { readonly correlation: number } {
    const start = this.now;
    const correlation = this.#job.nextCorrelation();
    const end = start + this.#job.about(us);
    this.now = end;
    this.#addCall(name, { cbid, correlation }, start);
    return { start, end, correlation };
  }

  #addCall(name: string, args: Args, start: number): void {
    const place = { pid: PID, tid: this.tid, start, dur: this.now - start };
    const allArgs = { 'External id': this.#externalId(), ...args };
    this.#job.rows.push({ ph: 'X', cat: 'cuda_runtime', name, ...place, args: allArgs });
    this.pass(0.4);
  }

  #sync(kind: string, stream: number, call: Span & { readonly correlation: number }, args: Args): void {
    const { start, end, correlation } = call;
    this.#job.rows.push({
      ph: 'X',
      cat: 'cuda_sync',
      name: kind,
      pid: 0,
      tid: stream,
      start: start + 300,
      dur: end - start - 400,
      args: { 'External id': correlation, cuda_sync_kind: kind, ...args, stream, correlation, device: 0, context: 1 },
    });
  }

  #externalId(): number {
    return this.#openOps.at(-1) ?? 0;
  }

  #span<T>(cat: string, name: string, args: Args, body: () => T): T {
    const start = this.now;
    const result = body();
    this.#job.rows.push({ ph: 'X', cat, name, pid: PID, tid: this.tid, start, dur: this.now - start, args });
    return result;
  }

  #within<T>(beforeUs: number, body: () => T, afterUs: number): T {
    this.pass(beforeUs);
    const result = body();
    this.pass(afterUs);
    return result;
  }
}

export function flow(ph: 's' | 'f', cat: string, id: number, pid: number, tid: number, start: number): Row {
  return { ph, cat, name: cat, pid, tid, start, id, ...(ph === 'f' ? { bp: 'e' } : {}) };
}
