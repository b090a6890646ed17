import { Readable } from 'node:stream';
import type { CriticalPathResult } from '../../analyses/critical-path/result.ts';
import type { Trace } from '../../trace/trace.ts';
import { openBytes } from '../open-node.ts';
import { writeWhole } from '../write-whole.ts';
import { type Arrow, type ArrowEnd, addNs, placePath, planArrows } from './arrows.ts';
import { markCritical, membersOf, textOf } from './row-members.ts';
import { type RowEditor, RowRewriter } from './row-rewriter.ts';

export interface OverlayOptions extends RewriteOptions {
  /** Only the path, annotations and metadata. */
  readonly onlyCritical: boolean;
}

export interface OverlayCounts {
  readonly events: number;
  readonly arrows: number;
}

/**
 * The trace once more, with `args.critical = 1` on the events of the path and an arrow wherever it changes lanes, for Perfetto and
 * Chrome. All other bytes are copied. The file appears whole or not at all. Rejects with the system's error.
 */
export async function writeOverlay(
  trace: Trace,
  result: CriticalPathResult,
  options: OverlayOptions,
): Promise<OverlayCounts> {
  const overlay = new OverlayEditor(trace, result, options.onlyCritical);
  await rewriteTrace(trace, overlay, options);
  return overlay.counts;
}

export interface RewriteOptions {
  readonly from: string;
  readonly to: string;
  readonly onProgress?: (jsonBytes: number) => void;
}

/** Copies a trace's file while an editor changes its rows. The file appears whole or not at all. Rejects with the system's error. */
export async function rewriteTrace(trace: Trace, editor: RowEditor, options: RewriteOptions): Promise<void> {
  const { from, to, onProgress } = options;
  const rewriter = new RowRewriter(editor, rowOffsets(trace));
  async function* rewritten(): AsyncGenerator<Uint8Array> {
    let read = 0;
    for await (const chunk of openBytes(from)) {
      yield* joined(rewriter.push(chunk));
      read += chunk.length;
      onProgress?.(read);
    }
    yield* joined(rewriter.finish());
  }
  await writeWhole(to, Readable.from(rewritten(), { objectMode: false }));
}

const BLOCK = 1 << 18;

/** Small pieces become blocks: a row a write would be slow. */
function* joined(pieces: readonly Uint8Array[]): Generator<Uint8Array> {
  let block: Uint8Array[] = [];
  let size = 0;
  for (const piece of pieces) {
    block.push(piece);
    size += piece.length;
    if (size < BLOCK) continue;
    yield Buffer.concat(block);
    block = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(block);
}

/** Where rows begin, ascending; the last is no row. */
function rowOffsets({ events }: Trace): Float64Array {
  const offsets = new Float64Array(events.length + 1);
  for (let e = 0; e < events.length; e++) offsets[e] = events.byteOffset[e];
  offsets[events.length] = Infinity;
  return offsets.sort();
}

/** What an arrow needs of the row that it touches, as it is written. */
interface Anchor {
  readonly pid: string;
  readonly tid: string;
  readonly ts: string;
}

const ANNOTATIONS: ReadonlySet<string> = new Set(['"user_annotation"', '"gpu_user_annotation"']);

class OverlayEditor implements RowEditor {
  readonly keeps?: (row: Uint8Array, byteOffset: number) => boolean;
  readonly #arrows: readonly Arrow[];
  readonly #positionAt: ReadonlyMap<number, number>;
  readonly #anchors = new Map<number, Anchor>();
  readonly #isAnchor: ReadonlySet<number>;
  #marked = 0;
  #added = 0;

  constructor(trace: Trace, result: CriticalPathResult, onlyCritical: boolean) {
    const placed = placePath(trace, result);
    this.#arrows = planArrows(trace, result, placed);
    this.#positionAt = new Map([...placed].map(([position, { byteOffset }]) => [byteOffset, position]));
    this.#isAnchor = new Set(this.#arrows.flatMap(({ from, to }) => [from.event, to.event]));
    if (onlyCritical) this.keeps = (row, byteOffset) => this.#positionAt.has(byteOffset) || isContext(row);
  }

  get counts(): OverlayCounts {
    return { events: this.#marked, arrows: this.#added };
  }

  edit(row: Uint8Array, byteOffset: number): Uint8Array | undefined {
    const position = this.#positionAt.get(byteOffset);
    if (position === undefined) return undefined;
    this.#marked++;
    if (this.#isAnchor.has(position)) this.#anchors.set(position, anchorOf(row));
    return markCritical(row);
  }

  *added(): Generator<string> {
    for (const { id, from, to } of this.#arrows) {
      const begin = this.#end('"ph": "s"', id, from);
      const end = this.#end('"ph": "f", "bp": "e"', id, to);
      if (begin === undefined || end === undefined) continue;
      this.#added++;
      yield begin;
      yield end;
    }
  }

  #end(phase: string, id: number, { event, afterStartNs }: ArrowEnd): string | undefined {
    const anchor = this.#anchors.get(event);
    if (anchor === undefined) return undefined;
    const { pid, tid, ts } = anchor;
    const time = addNs(ts, afterStartNs);
    return `{${phase}, "cat": "critical_path", "name": "critical_path", "id": ${id}, "pid": ${pid}, "tid": ${tid}, "ts": ${time}}`;
  }
}

function anchorOf(row: Uint8Array): Anchor {
  const members = membersOf(row);
  const text = (key: string): string => {
    const member = members.get(key);
    return member === undefined ? '0' : textOf(row, member.start, member.end);
  };
  return { pid: text('pid'), tid: text('tid'), ts: text('ts') };
}

/** Names of tracks, and the annotations by which people find their way. */
function isContext(row: Uint8Array): boolean {
  const members = membersOf(row);
  const ph = members.get('ph');
  const cat = members.get('cat');
  if (ph !== undefined && textOf(row, ph.start, ph.end) === '"M"') return true;
  return cat !== undefined && ANNOTATIONS.has(textOf(row, cat.start, cat.end));
}
