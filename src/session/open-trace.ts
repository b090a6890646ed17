import { ok, type Result } from '../base/result.ts';
import type { OpenOptions, ReadError } from '../ingest/read-trace.ts';
import { type OpenTrace, openTraceOf } from '../library/open-trace.ts';
import { openTrace as readFile } from './open-node.ts';

/**
 * Opens the trace of one rank: `.json`, `.json.gz` or `.json.zst` by its first bytes, a pipe, or `-` for standard input. Damage is stepped
 * over and counted; an error means that there is nothing to analyse. Does not reject.
 */
export async function openTrace(path: string, options: OpenOptions = {}): Promise<Result<OpenTrace, ReadError>> {
  const read = await readFile(path, options);
  return read.ok ? ok(openTraceOf(read.value)) : read;
}
