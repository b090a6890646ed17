import { formatCount, formatDur, formatPlural } from '../base/format.ts';
import { type Result, err, ok } from '../base/result.ts';
import type { Report, Session } from '../library/session.ts';
import { type Timeline, encodeTimeline } from '../protocol/timeline.ts';
import type { Packed, Snapshot, Story, StoryPack, WholeReplies } from '../protocol/snapshot.ts';
import { type AnswerOptions, explainAt, overviewOf } from './answers.ts';
import { buildTimeline } from './build-timeline.ts';
import { type RowSource, eventDetails, rowsByPosition } from './event-details.ts';
import { memorySeries } from './memory.ts';
import { breakdownPanel, healthPanel, idlePanel, kernelsPanel } from './panels.ts';
import { type Reduction, reduceTimeline } from './reduce-timeline.ts';
import { tellingEvents } from './telling-events.ts';

export interface SnapshotOptions {
  readonly path: AnswerOptions['path'];
  /** A source that has the rows at these offsets at hand, ascending. */
  readonly readRows: (byteOffsets: readonly number[]) => Promise<RowSource>;
  readonly pack: (bytes: Uint8Array) => Packed;
  /** Characters of JSON at most. */
  readonly mostChars: number;
}

/** Events with a story. */
const MOST_STORIES = 300;
const STORIES_IN_PACK = 50;
/** Of an item of the timeline, when it is packed: a guess to begin with. */
const CHARS_OF_ITEM = 12;
/** What the timeline may take of the room; the rest is for stories. */
const TIMELINE_SHARE = 0.8;
/** Room for what is around the packed parts. */
const FRAME_CHARS = 20_000;

/** Packs what the page may ask for, as far as there is room, and says what is left out. Without room for the least: how much that takes. */
export async function makeSnapshot(
  session: Session,
  report: Report,
  options: SnapshotOptions,
): Promise<Result<{ readonly snapshot: Snapshot; readonly notes: readonly string[] }, number>> {
  const packJson = (value: unknown): Packed => options.pack(new TextEncoder().encode(JSON.stringify(value)));
  const replies = await repliesOf(session, report, options);
  const room = options.mostChars - FRAME_CHARS - packJson(replies).length;
  const whole = buildTimeline(session, options.path);
  const { reduction, packed } = fitTimeline(whole, linkedEvents(replies), room * TIMELINE_SHARE, options.pack);
  if (packed.length > room) return err(options.mostChars - room + packed.length);
  const positions = storyPositions(replies, whole, new Set(reduction.timeline.position));
  const stories = await storiesOf(session, positions, options);
  const packs = packStories(stories, room - packed.length, packJson);
  const told = packs.flatMap((pack) => pack.positions).filter((position) => stories.get(position)?.explain);
  const notes = notesOf(whole, reduction, told.length);
  const { overview } = replies;
  const noted = { ...overview, document: { ...overview.document, notes: [...notes, ...overview.document.notes] } };
  return ok({
    snapshot: {
      schema: 'longpole.snapshot/1',
      timeline: packed,
      replies: packJson({ ...replies, overview: noted }),
      packs,
      otherwise: `This file says it of ${formatPlural(told.length, 'event')}, and not of this one: open the trace itself on this page.`,
    },
    notes,
  });
}

async function repliesOf(session: Session, report: Report, { path, readRows }: SnapshotOptions): Promise<WholeReplies> {
  return {
    overview: overviewOf(session, report),
    breakdown: breakdownPanel(session, path),
    idle: idlePanel(session, path),
    kernels: kernelsPanel(session, path),
    health: healthPanel(session, path),
    // Its rows would have to be read again, all of them.
    memory: await memorySeries(session, readRows),
  };
}

/** Positions of all events that replies refer to, wherever they do: links to them lead somewhere. */
function linkedEvents(reply: unknown, found = new Set<number>()): ReadonlySet<number> {
  if (typeof reply !== 'object' || reply === null) return found;
  for (const [key, value] of Object.entries(reply)) {
    if (key === 'event' && typeof value === 'number') found.add(value);
    else linkedEvents(value, found);
  }
  return found;
}

/** As fine as it fits, else as coarse as it can be. */
function fitTimeline(
  timeline: Timeline,
  linked: ReadonlySet<number>,
  mostChars: number,
  pack: SnapshotOptions['pack'],
): Fitted {
  let items = Math.floor(mostChars / CHARS_OF_ITEM);
  while (items > 0) {
    const reduction = reduceTimeline(timeline, items, linked);
    const packed = pack(encodeTimeline(reduction.timeline));
    if (packed.length <= mostChars) return { reduction, packed };
    items = Math.floor(Math.min(items, reduction.timeline.start.length) * Math.min(0.9, mostChars / packed.length));
    // It cannot be coarser: what is left is the path.
    if (reduction.cellNs >= timeline.endNs - timeline.startNs) break;
  }
  const reduction = reduceTimeline(timeline, 0, linked);
  return { reduction, packed: pack(encodeTimeline(reduction.timeline)) };
}

interface Fitted {
  readonly reduction: Reduction;
  readonly packed: Packed;
}

/** What the overview links to, then what tells most. */
function storyPositions({ overview }: WholeReplies, timeline: Timeline, kept: ReadonlySet<number>): number[] {
  const linked = overview.parts.flatMap(({ names }) => names.map(({ longest }) => longest.event));
  return [...new Set([...linked, ...tellingEvents(timeline, kept, MOST_STORIES)])];
}

/** By position: why the event began when it did, and its row; of the op that launched it the row alone. */
async function storiesOf(
  session: Session,
  positions: readonly number[],
  { path, readRows }: SnapshotOptions,
): Promise<Map<number, Story>> {
  const { trace } = session;
  const rowAt = rowsByPosition(trace);
  const explained = new Map(positions.map((position) => [position, explainAt(session, path, position)]));
  const all = new Set(positions);
  for (const outcome of explained.values()) {
    const { op, launch } = outcome.status === 'ok' ? outcome.result.event : {};
    const around = op ?? launch?.op;
    if (around !== undefined) all.add(around.event);
  }
  const known = [...all].flatMap((position) => {
    const row = rowAt(position);
    return row === undefined ? [] : [{ position, row }];
  });
  const offsets = known.map(({ row }) => trace.events.byteOffset[row]).sort((a, b) => a - b);
  const rows = await readRows(offsets);
  const stories = new Map<number, Story>();
  for (const { position, row } of known) {
    const explain = explained.get(position);
    stories.set(position, { ...(explain && { explain }), event: await eventDetails(trace, rows, row) });
  }
  return stories;
}

/** As many as there is room for, the most telling first. */
function packStories(
  stories: ReadonlyMap<number, Story>,
  mostChars: number,
  packJson: (value: unknown) => Packed,
): StoryPack[] {
  const packs: StoryPack[] = [];
  const positions = [...stories.keys()];
  let room = mostChars;
  for (let at = 0; at < positions.length; at += STORIES_IN_PACK) {
    const some = positions.slice(at, at + STORIES_IN_PACK);
    const packed = packJson(some.map((position) => stories.get(position)));
    room -= packed.length + JSON.stringify(some).length;
    if (room < 0) break;
    packs.push({ positions: some, stories: packed });
  }
  return packs;
}

function notesOf(
  { start, pathStart }: Timeline,
  { merged, mergedSegments, cellNs }: Reduction,
  told: number,
): string[] {
  const path = pathStart.length === 0 || mergedSegments > 0 ? '' : ' and are not on the path';
  const timeline =
    merged === 0
      ? `This file holds all ${formatCount(start.length)} events of the timeline.`
      : `This file does not hold every event: of ${formatCount(start.length)}, ${formatCount(merged)} that take less than ${formatDur(cellNs)}${path} are merged with their neighbours.`;
  const segments = `Of the path's ${formatCount(pathStart.length)} segments, ${formatCount(mergedSegments)} that take less than ${formatDur(cellNs)} are merged too, each kind with its own.`;
  return [
    timeline,
    ...(mergedSegments === 0 ? [] : [segments]),
    `It says why an event began when it did, and its args, for ${formatPlural(told, 'event')}: those with most time on the path, and the longest. The trace itself, opened on the page, has all.`,
  ];
}
