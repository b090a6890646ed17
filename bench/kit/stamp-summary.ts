// The summary of a rank in a job of another size, as its stamped trace would give it: what differs is the rank, the number of ranks and the clock.
import { gunzipSync, gzipSync } from 'node:zlib';
import { skewNs } from './stamp.ts';

export interface Restamp {
  /** The rank of the summary, in a job of so many. */
  readonly from: number;
  readonly mapped: number;
  readonly rank: number;
  readonly count: number;
}

export function stampSummary(summary: Uint8Array, { from, mapped, rank, count }: Restamp): Uint8Array {
  const ofRank = [
    '"traceRank":',
    '"nameRank":',
    `"file":"rank-${from}.json","rank":`,
    '"calls":{"rank":',
    '"skeleton":{"rank":',
  ];
  let text = gunzipSync(summary)
    .toString('utf8')
    .replaceAll(`0+1\\u00d7${mapped}`, `0+1\\u00d7${count}`)
    .replaceAll(`"worldSize":${mapped}`, `"worldSize":${count}`)
    .replaceAll(`"size":${mapped}`, `"size":${count}`)
    .replace(`"name":"rank-${from}.json"`, `"name":"rank-${rank}.json"`);
  for (const key of ofRank) {
    if (!text.includes(`${key}${from},`)) throw new Error(`the summary has no ${key}`);
    text = text.replace(`${key}${from},`, `${key}${rank},`);
  }
  text = text.replace(`"file":"rank-${from}.json"`, `"file":"rank-${rank}.json"`);
  const shift = BigInt(skewNs(rank) - skewNs(from));
  text = text.replaceAll(
    /"(startUnixNs|endUnixNs|originUnixNs)":"(\d+)"/g,
    (_, key: string, ns: string) => `"${key}":"${BigInt(ns) + shift}"`,
  );
  return gzipSync(text, { level: 1 });
}
