import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { analysisOf } from '../../analyses/registry.ts';
import type { RenderOptions } from '../../analyses/contract.ts';
import type { Job } from '../../fleet/job.ts';
import { reportJob } from '../../fleet/job-report.ts';
import { renderJob } from '../../fleet/render-job.ts';
import { dataParallel } from '../../sim/programs/data-parallel.ts';
import { moe } from '../../sim/programs/moe.ts';
import { pipeline } from '../../sim/programs/pipeline.ts';
import { writeJobFolder } from '../../test-kit/job-folder.ts';
import { mapInPool } from './map-pool.ts';
import { mapFiles, openJob, openMapped, type Mapped } from './open-job.ts';
import { peekRanks } from './peek-rank.ts';
import { SummaryGone } from './parts-reader.ts';
import { findRankFiles, matcherOf, type RankFile } from './rank-files.ts';
import { listSummaries, readSummary, summaryName } from './summary-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'longpole-job-'));
const job = join(folder, 'job');
const OPTIONS = analysisOf('critical-path').defaults;
const PLAIN: RenderOptions = { limit: Infinity, fullNames: false, style: (_, text) => text };

beforeAll(() => writeJobFolder(job, dataParallel({ ranks: 4, steps: 2, layers: 2, clockSpreadNs: 300_000 })));
afterAll(() => rmSync(folder, { recursive: true }));

async function filesOf(...paths: readonly string[]): Promise<readonly RankFile[]> {
  const found = await findRankFiles(paths);
  if (found.kind === 'none') throw new Error(found.why);
  return found.files;
}

async function mapInto(out: string, files: readonly RankFile[], options = OPTIONS): Promise<Mapped[]> {
  const done: Mapped[] = [];
  await mapFiles(files, options, out, (_, what) => done.push(what));
  return done.sort();
}

const textOf = (of: Job): string => renderJob(reportJob(of), PLAIN);
const textOfMapped = async (out: string): Promise<string> => {
  const opened = await openMapped(out);
  return opened.ok ? textOf(opened.value) : opened.error;
};

describe('files', () => {
  const home = join(folder, 'files');
  beforeAll(() => {
    mkdirSync(join(home, 'a', 'inner.json'), { recursive: true });
    mkdirSync(join(home, 'b'));
    for (const name of ['rank10.json', 'rank9.json.gz', 'notes.txt', '.rank1.json']) {
      writeFileSync(join(home, 'a', name), '');
    }
    writeFileSync(join(home, 'b', 'rank9.json.gz'), '');
  });
  const names = async (...paths: readonly string[]): Promise<string[]> =>
    (await filesOf(...paths)).map((file) => `${file.folder}/${file.name}`);

  test('of a folder are its traces, numbers by their value', async () => {
    expect(await names(join(home, 'a'))).toEqual(['a/rank9.json.gz', 'a/rank10.json']);
  });
  test('of a list are each once; whatever is named is taken', async () => {
    const twice = [join(home, 'a'), join(home, 'a', 'rank9.json.gz'), join(home, 'a', 'notes.txt')];
    expect(await names(...twice)).toEqual(['a/notes.txt', 'a/rank9.json.gz', 'a/rank10.json']);
  });
  test('of a pattern are those that match, in all folders that do', async () => {
    expect(await names(join(home, '?', 'rank*.gz'))).toEqual(['a/rank9.json.gz', 'b/rank9.json.gz']);
    expect(await findRankFiles([join(home, 'x*')])).toMatchObject({ kind: 'none', why: 'no-match' });
    expect(await findRankFiles([join(home, 'absent')])).toMatchObject({ kind: 'none', why: 'missing' });
    expect(await findRankFiles([home])).toMatchObject({ kind: 'none', why: 'empty-folder' });
  });
  test.each([
    ['rank*.json', 'rank.json', true],
    ['rank*.json', 'rank-3.json.gz', false],
    ['*a*b*', 'xxaxxbxx', true],
    ['*a*b*', 'xxbxxaxx', false],
    ['r?nk', 'rnk', false],
    ['*', '.hidden', false],
    ['.h*', '.hidden', true],
    [`${'*a'.repeat(30)}b`, 'a'.repeat(2000), false],
  ])('pattern %#', (pattern, name, isMatch) => {
    expect(matcherOf(pattern)(name)).toBe(isMatch);
  });
  test('the rank of a file is found in its first bytes', async () => {
    expect(await peekRanks(await filesOf(job))).toEqual([0, 1, 2, 3]);
    expect(await peekRanks(await filesOf(join(home, 'a')))).toEqual([9, 10]);
  });
});

describe('map and reduce', () => {
  test('give the report of one process, whoever mapped what, in whatever order', async () => {
    const files = await filesOf(job);
    const here = textOf(await openJob(files, OPTIONS));
    expect(here).toContain('4 ranks of 4');
    expect(here).toContain('8 of 8 calls matched');
    const out = join(folder, 'apart');
    for (const file of files.toReversed()) expect(await mapInto(out, [file])).toEqual(['mapped']);
    expect(await textOfMapped(out)).toBe(here);
    const threads = { threads: 3, worker: new URL('../../../dist/map-worker.js', import.meta.url) };
    const pooled = await openJob(files, OPTIONS, undefined, (each, options, onReply) =>
      mapInPool(each, options, onReply, threads),
    );
    expect(textOf(pooled)).toBe(here);
  });

  test('what is mapped and fits is not mapped again; what changed is', async () => {
    const files = await filesOf(job);
    const out = join(folder, 'again');
    await mapInto(out, files);
    const before = readdirSync(out).map((name) => readFileSync(join(out, name)));
    expect(await mapInto(out, files)).toEqual(['kept', 'kept', 'kept', 'kept']);
    utimesSync(files[1].path, 1, 1);
    expect(await mapInto(out, files)).toEqual(['kept', 'kept', 'kept', 'mapped']);
    expect(await mapInto(out, files, { ...OPTIONS, exact: true })).toEqual(['mapped', 'mapped', 'mapped', 'mapped']);
    // The same file makes the same bytes.
    await mapInto(out, files);
    const after = readdirSync(out).map((name) => readFileSync(join(out, name)));
    expect(after.filter((bytes, at) => !bytes.equals(before[at])).length).toBe(1);
  });

  test('summaries that were made in different ways are not mixed', async () => {
    const files = await filesOf(job);
    const out = join(folder, 'mixed');
    await mapInto(out, files);
    await mapInto(out, [files[2]], { ...OPTIONS, exact: true });
    expect(await openMapped(out)).toMatchObject({ ok: false, error: expect.stringMatching(/different options/) });
  });

  test('one that goes away while an answer is made is told as such', async () => {
    const out = join(folder, 'gone');
    await mapInto(out, await filesOf(job));
    const opened = await openMapped(out);
    if (!opened.ok) throw new Error(opened.error);
    rmSync(out, { recursive: true });
    expect(() => textOf(opened.value)).toThrow(SummaryGone);
  });

  test('a summary that is cut or foreign is named, and the rest goes on', async () => {
    const files = await filesOf(job);
    const out = join(folder, 'cut');
    await mapInto(out, files);
    const name = summaryName(files[3]);
    truncateSync(join(out, name), 50);
    expect(await readSummary(join(out, name))).toMatchObject({ ok: false });
    const text = await textOfMapped(out);
    expect(text).toContain(`cannot be read: ${name}: damaged, or not written by longpole map`);
    expect(text).toContain('3 ranks of 4');
    expect(await mapInto(out, files)).toEqual(['kept', 'kept', 'kept', 'mapped']);
  });

  test('nothing unfinished is seen: a file that was begun is no summary', async () => {
    const out = join(folder, 'begun');
    await mapInto(out, (await filesOf(job)).slice(0, 1));
    const [name = ''] = await listSummaries(out);
    renameSync(join(out, name), join(out, `.unfinished-${name}-x`));
    expect(await listSummaries(out)).toEqual([]);
    expect(await openMapped(out)).toMatchObject({ ok: false, error: expect.stringMatching(/no summaries/) });
    expect(await openMapped(join(out, 'absent'))).toMatchObject({ ok: false });
  });

  test('a file that cannot be read is named, with why; one that is damaged too', async () => {
    const files = await filesOf(job);
    const broken = join(folder, 'broken');
    mkdirSync(broken);
    for (const { path, name } of files) writeFileSync(join(broken, name), readFileSync(path));
    writeFileSync(join(broken, 'rank-1.json.gz'), 'no trace');
    truncateSync(join(broken, 'rank-2.json.gz'), 4_000);
    const here = textOf(await openJob(await filesOf(broken), OPTIONS));
    expect(here).toContain('cannot be read: rank-1.json.gz: no JSON');
    expect(here).toMatch(/damaged: rank 2, rank-2\.json\.gz: 1 truncated-compression/);
    expect(here).toContain('not here: rank 1');
    const out = join(folder, 'broken-out');
    expect(await mapInto(out, await filesOf(broken))).toEqual(['failed', 'mapped', 'mapped', 'mapped']);
    expect(await textOfMapped(out)).toBe(here);
  });

  test('bubbles and experts too', async () => {
    for (const [name, made] of [
      ['bubbles', pipeline({ ranks: 2, steps: 2, microbatches: 2, clockSpreadNs: 300_000 })],
      ['experts', moe({ ranks: 2, steps: 2, layers: 2, clockSpreadNs: 300_000 })],
    ] as const) {
      await writeJobFolder(join(folder, name), made);
      const files = await filesOf(join(folder, name));
      const here = textOf(await openJob(files, OPTIONS));
      expect(here).toContain(`\n  ${name} `);
      await mapInto(join(folder, `${name}-mapped`), files);
      expect(await textOfMapped(join(folder, `${name}-mapped`))).toBe(here);
    }
  });

  test('files of one name in several folders are told apart by those', async () => {
    const [first, second] = await filesOf(job);
    for (const [home, file] of [
      ['x', first],
      ['y', second],
    ] as const) {
      mkdirSync(join(folder, home));
      writeFileSync(join(folder, home, 'trace.json.gz'), readFileSync(file.path));
    }
    const both = await filesOf(join(folder, '?', 'trace.json.gz'));
    expect(new Set(both.map(summaryName)).size).toBe(2);
    const { members } = await openJob(both, OPTIONS);
    expect(members.map(({ rank, file }) => [rank, file])).toEqual([
      [0, 'x/trace.json.gz'],
      [1, 'y/trace.json.gz'],
    ]);
  });
});
