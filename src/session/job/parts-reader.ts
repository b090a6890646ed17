// What the lags of a rank are made of, read again from its summary when an answer asks for it: of thousands of ranks few are asked, and
// together they would take more memory than all else.
import { decodeParts } from '../../fleet/rank-summary.ts';
import type { EntryParts } from '../../fleet/skeleton.ts';
import { readSummaryNow } from './summary-file.ts';

/** A path goes to and fro between few ranks. */
const MOST_HELD = 64;

export class PartsReader {
  /** The one that was asked for last is the last. */
  readonly #held = new Map<string, EntryParts>();

  /** Throws `SummaryGone` where the file is no longer what it was. */
  read(path: string): EntryParts {
    const parts = this.#held.get(path) ?? readParts(path);
    this.#held.delete(path);
    this.#held.set(path, parts);
    for (const oldest of this.#held.keys()) {
      if (this.#held.size <= MOST_HELD) break;
      this.#held.delete(oldest);
    }
    return parts;
  }
}

/** A summary was changed or removed while it was in use. Its message is a line for the user. */
export class SummaryGone extends Error {}

function readParts(path: string): EntryParts {
  let parts: EntryParts | undefined;
  try {
    const read = readSummaryNow(path);
    if (read.ok && read.value.body.kind === 'summary') parts = decodeParts(read.value.body.json);
  } catch {
    parts = undefined;
  }
  if (parts === undefined) throw new SummaryGone(`${path}: changed while it was read; try again`);
  return parts;
}
