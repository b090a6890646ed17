// A job's report on a cluster: an array of tasks that map, and a job behind it that reduces, over a folder that all nodes see.
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { MapFileOptions } from '../map-rank-file.ts';
import { keyOfOptions } from '../open-job.ts';
import type { RankFile } from '../rank-files.ts';
import { isSummaryName, summaryName, writeSummary } from '../summary-file.ts';
import { type Manifest, filesOfTask } from './manifest.ts';
import { SlurmError, cancelArgs, stateOf, submit } from './slurm-commands.ts';

export interface SlurmRequest {
  readonly files: readonly RankFile[];
  readonly options: MapFileOptions;
  /** How the report is printed: further arguments of `longpole reduce`. */
  readonly reduceArgs: readonly string[];
  /** Node and this program, as the nodes of the cluster find them. */
  readonly program: readonly [node: string, script: string];
  /** A folder that all nodes see; summaries stay in it for another time. Without one: a fresh one where this process runs, removed behind it. */
  readonly out?: string;
  readonly partition?: string;
  readonly ranksPerTask: number;
  /** Told when something happens that a person waits for. */
  readonly onProgress?: (progress: SlurmProgress) => void;
}

export type SlurmProgress =
  | {
      readonly kind: 'submitted';
      readonly map: string;
      readonly reduce: string;
      readonly tasks: number;
      readonly ranks: number;
    }
  | { readonly kind: 'mapped'; readonly done: number; readonly of: number; readonly running: number }
  | { readonly kind: 'retry'; readonly tasks: number; readonly why: string };

/** What `longpole reduce` printed on the cluster. */
export interface SlurmReport {
  readonly answer: Buffer;
  readonly errors: string;
  readonly code: number;
}

/** Clusters take arrays of 1,001 tasks by default. */
const MOST_TASKS = 1_000;
const TRIES = 3;
/** How Slurm calls it. */
const WELL = 'COMPLETED';
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;
/** So many times in a row Slurm may not answer. */
const MOST_SILENCE = 20;
/** A file that another machine has written may not be seen at once. */
const FILE_TRIES = 40;

/** The same text for all: names are in the manifest, and paths come as arguments, which the shell takes as they are. */
const MAP_SCRIPT = `#!/bin/sh
# Maps one task's share of the ranks. Arguments: node, longpole.
exec "$1" "$2" map --manifest manifest.json --task "$SLURM_ARRAY_TASK_ID"
`;
const REDUCE_SCRIPT = `#!/bin/sh
# Prints the report. Arguments: the name of its file, node, longpole, and those of longpole reduce.
to=$1
shift
"$@" >"$to.new" 2>"$to.err"
echo $? >"$to.code"
mv "$to.new" "$to"
`;

/** Rejects with a `SlurmError`, or with Node's error where the folder cannot be written. */
export async function runOnSlurm(request: SlurmRequest): Promise<SlurmReport> {
  const run = new SlurmRun(request);
  process.once('exit', run.cleanUp);
  try {
    return await run.report();
  } finally {
    process.removeListener('exit', run.cleanUp);
    run.cleanUp();
  }
}

class SlurmRun {
  readonly #request: SlurmRequest;
  /** What is only for this run. */
  readonly #work: string;
  /** For summaries. */
  readonly #out: string;
  readonly #ranksPerTask: number;
  /** Of jobs that may still wait or run. */
  #open: string[] = [];
  #reduced = 0;

  constructor(request: SlurmRequest) {
    this.#request = request;
    this.#work = resolve(request.out ?? '.', `.longpole-${randomUUID()}`);
    this.#out = request.out === undefined ? join(this.#work, 'summaries') : resolve(request.out);
    this.#ranksPerTask = Math.max(1, request.ranksPerTask, Math.ceil(request.files.length / MOST_TASKS));
  }

  async report(): Promise<SlurmReport> {
    await this.#prepare();
    let todo = Array.from({ length: Math.ceil(this.#request.files.length / this.#ranksPerTask) }, (_, task) => task);
    let ends: ReadonlyMap<number, string> = new Map();
    let report = '';
    for (let round = 0; round < TRIES && todo.length > 0; round++) {
      if (round > 0) this.#tell({ kind: 'retry', tasks: todo.length, why: endWords(ends, todo) });
      [report, ends] = await this.#mapAndReduce(todo);
      todo = await this.#failedOf(todo, ends);
    }
    if (todo.length > 0) {
      await this.#writeFailures(ends);
      report = await this.#reduceAfter(undefined);
      await this.#wait([...this.#open]);
    }
    return this.#read(report);
  }

  async #prepare(): Promise<void> {
    await mkdir(this.#out, { recursive: true });
    await mkdir(join(this.#work, 'log'), { recursive: true });
    const { files, options } = this.#request;
    const manifest: Manifest = {
      files: files.map((file) => ({ ...file, path: resolve(file.path) })),
      ranksPerTask: this.#ranksPerTask,
      options,
      out: this.#out,
    };
    await writeFile(join(this.#work, 'manifest.json'), JSON.stringify(manifest));
    await writeFile(join(this.#work, 'map.sh'), MAP_SCRIPT);
    await writeFile(join(this.#work, 'reduce.sh'), REDUCE_SCRIPT);
  }

  /** Of these tasks those that did not end well, or left a file without a summary or the reason why it has none. */
  async #failedOf(tasks: readonly number[], ends: ReadonlyMap<number, string>): Promise<number[]> {
    const there = new Set(await readdir(this.#out));
    return tasks.filter((task) => {
      const files = filesOfTask({ files: this.#request.files, ranksPerTask: this.#ranksPerTask }, task);
      // What Slurm has forgotten is told by the files.
      return (ends.get(task) ?? WELL) !== WELL || files.some((file) => !there.has(summaryName(file)));
    });
  }

  async #mapAndReduce(todo: readonly number[]): Promise<[string, ReadonlyMap<number, string>]> {
    const map = await submit(
      [...this.#options('map'), `--array=${todo.join(',')}`, '--output=log/map-%A-%a'],
      this.#work,
      join(this.#work, 'map.sh'),
      this.#request.program,
    );
    this.#open.push(map);
    const report = await this.#reduceAfter(map);
    const reduce = this.#open.at(-1) ?? '';
    this.#tell({ kind: 'submitted', map, reduce, tasks: todo.length, ranks: this.#request.files.length });
    return [report, await this.#wait([map, reduce])];
  }

  /** Submits the reduce, behind `map` where there is one; gives the name of the report's file. */
  async #reduceAfter(map: string | undefined): Promise<string> {
    const report = `report-${this.#reduced++}`;
    const behind = map === undefined ? [] : [`--dependency=afterany:${map}`];
    const id = await submit(
      [...this.#options('reduce'), ...behind, '--output=log/reduce-%A'],
      this.#work,
      join(this.#work, 'reduce.sh'),
      [report, ...this.#request.program, 'reduce', this.#out, ...this.#request.reduceArgs],
    );
    this.#open.push(id);
    return report;
  }

  #options(what: string): string[] {
    const { partition } = this.#request;
    return [`--job-name=longpole-${what}`, ...(partition === undefined ? [] : [`--partition=${partition}`])];
  }

  /** Until these jobs have ended; gives how the tasks of the first did. */
  async #wait(ids: readonly string[]): Promise<ReadonlyMap<number, string>> {
    let silence = 0;
    for (let ms = FIRST_PAUSE_MS; ; ms = Math.min(ms * 1.3, LONGEST_PAUSE_MS)) {
      const state = await stateOf(ids).catch((error: unknown) => {
        if (++silence > MOST_SILENCE) throw error;
        return undefined;
      });
      if (state !== undefined) {
        silence = 0;
        const done = (await readdir(this.#out)).filter(isSummaryName).length;
        this.#tell({ kind: 'mapped', done, of: this.#request.files.length, running: state.running });
        if (state.hasEnded) {
          this.#open = this.#open.filter((id) => !ids.includes(id));
          return state.ends;
        }
      }
      await pause(ms);
    }
  }

  /** Whatever was tried, nothing came of these: the report names them. */
  async #writeFailures(ends: ReadonlyMap<number, string>): Promise<void> {
    const there = new Set(await readdir(this.#out));
    const options = keyOfOptions(this.#request.options);
    for (const [at, file] of this.#request.files.entries()) {
      if (there.has(summaryName(file))) continue;
      const end = ends.get(Math.floor(at / this.#ranksPerTask)) ?? 'no answer';
      const why = `its task on the cluster failed ${TRIES} times (${end})`;
      const head = { name: file.name, folder: file.folder, key: '', options };
      await writeSummary(this.#out, summaryName(file), { head, body: { kind: 'failure', why } });
    }
  }

  async #read(report: string): Promise<SlurmReport> {
    for (let tries = 0; tries < FILE_TRIES; tries++) {
      const answer = await readFile(join(this.#work, report)).catch(() => undefined);
      if (answer !== undefined) {
        const errors = await readFile(join(this.#work, `${report}.err`), 'utf8');
        return { answer, errors, code: Number(await readFile(join(this.#work, `${report}.code`), 'utf8')) };
      }
      await pause(FIRST_PAUSE_MS);
    }
    throw new SlurmError('the reduce ended without a report; do the nodes see this folder, and this Node?');
  }

  #tell(progress: SlurmProgress): void {
    this.#request.onProgress?.(progress);
  }

  /** Ends what is still to run, and removes what was made for it. Also where the process is interrupted, so nothing here waits. */
  readonly cleanUp = (): void => {
    if (this.#open.length > 0) spawnSync('scancel', cancelArgs(this.#open), { stdio: 'ignore' });
    this.#open = [];
    rmSync(this.#work, { recursive: true, force: true });
  };
}

/** The end that most tasks had. */
function endWords(ends: ReadonlyMap<number, string>, todo: readonly number[]): string {
  const words = new Set(todo.map((task) => ends.get(task) ?? 'no answer'));
  return [...words].sort().join(', ');
}
