import { rankOfFileName } from '../../ingest/trace-facts.ts';
import { openBytes } from '../open-node.ts';
import type { RankFile } from './rank-files.ts';

/** `distributedInfo` stands among the first keys of a file. */
const HEAD_BYTES = 1 << 16;
const RANK = /"distributedInfo"\s*:\s*\{[^}]*?"rank"\s*:\s*"?(\d{1,9})\b/;

/**
 * The rank of each file, from its first bytes and its name alone: to find the one file that is asked about without reading all of them. By
 * the first rule that tells all files apart, as `assignRanks` has them; the place in the list where none does. Does not reject.
 */
export async function peekRanks(files: readonly RankFile[]): Promise<readonly number[]> {
  const said: (number | undefined)[] = [];
  for (const { path } of files) said.push(await rankInHead(path).catch(() => undefined));
  const named = files.map(({ name }) => rankOfFileName(name));
  const distinct = [said, named].find((ranks) => !ranks.includes(undefined) && new Set(ranks).size === ranks.length);
  return files.map((_, at) => distinct?.[at] ?? at);
}

async function rankInHead(path: string): Promise<number | undefined> {
  let head = '';
  for await (const chunk of openBytes(path)) {
    head += Buffer.from(chunk.subarray(0, HEAD_BYTES - head.length)).toString('latin1');
    if (head.length >= HEAD_BYTES) break;
  }
  const digits = RANK.exec(head)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
