import { MinHeap } from '../base/heap.ts';
import { type Meeting, Meetings } from './meetings.ts';
import type { Job } from './program.ts';
import { RankMachine } from './rank-machine.ts';
import { Recorder } from './recorder.ts';
import type { RankTruth } from './truth.ts';

/**
 * Runs a job. Ranks that meet run twice: once all together, which only finds when each meeting ends, then each alone, which writes
 * down everything. A rank's truth is made when it is asked for, so that a job of many ranks needs the memory of one.
 */
export class JobRun {
  readonly job: Job;
  readonly #meetings: Meetings;

  constructor(job: Job) {
    this.job = job;
    this.#meetings = new Meetings(job);
    if (job.groups.some(({ ranks }) => ranks.length > 1)) meetAll(job, this.#meetings);
  }

  get rankCount(): number {
    return this.job.ranks.length;
  }

  /** Every meeting of the job, in no certain order. */
  get meetings(): readonly Meeting[] {
    return this.#meetings.list;
  }

  /** All that happened on a rank. */
  truthOf(rank: number): RankTruth {
    this.#meetings.restart(rank);
    const recorder = new Recorder();
    const machine = new RankMachine(this.job, rank, this.#meetings, recorder);
    while (machine.nextTime < Infinity) machine.step();
    ensureDone(this.job, [machine]);
    return machine.take(recorder);
  }
}

/**
 * The first pass: all ranks in the order of true time. What a rank does at a time can end a meeting only later than that, so a rank
 * that is held by others never misses its turn.
 */
function meetAll(job: Job, meetings: Meetings): void {
  const machines: RankMachine[] = [];
  const turns = new MinHeap();
  const touched = new Set<number>();
  meetings.onEnd = (rank, meeting, end) => {
    machines[rank]?.device.meetingEnded(meeting, end);
    touched.add(rank);
  };
  for (let rank = 0; rank < job.ranks.length; rank++) {
    machines.push(new RankMachine(job, rank, meetings, undefined));
    turns.push(machines[rank].nextTime, rank);
  }
  while (turns.size > 0) {
    const time = turns.least;
    const rank = turns.pop();
    const machine = machines[rank];
    // An entry of a rank whose turn has changed since: another one stands for it.
    if (machine.nextTime !== time || time === Infinity) continue;
    touched.clear();
    machine.step();
    touched.add(rank);
    for (const other of touched) if (machines[other].nextTime < Infinity) turns.push(machines[other].nextTime, other);
  }
  ensureDone(job, machines);
}

function ensureDone(job: Job, machines: readonly RankMachine[]): void {
  const held = machines.filter((machine) => !machine.isDone).map(({ rank }) => rank);
  if (held.length > 0) throw new Error(`simulation of "${job.name}": ranks ${held.join(', ')} wait for ever`);
}
