/** A session of a file. */
import { ok, type Result } from '../base/result.ts';
import type { ReadError } from '../ingest/read-trace.ts';
import { createSession, type Session } from '../library/session.ts';
import { openTrace, type FileOptions } from './open-node.ts';

export { createSession, type Session } from '../library/session.ts';

/** Reads the file at `path` (`-`: standard input) as one rank's trace. */
export async function openSession(path: string, options: FileOptions): Promise<Result<Session, ReadError>> {
  const read = await openTrace(path, options);
  return read.ok ? ok(createSession(read.value)) : read;
}
