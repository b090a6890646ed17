import type { Calls, Engine } from '../../protocol/calls.ts';
import type { Snapshot, Story, StoryPack, WholeReplies } from '../../protocol/snapshot.ts';
import { decodeTimeline } from '../../protocol/timeline.ts';
import { unpack, unpackText } from './packed.ts';

const NOT_KEPT = 'this is one file: notes are gone with the page';

/** Answers with what lies in the page. What does not is told, with what to do. */
export function snapshotEngine({ timeline, replies, packs, otherwise }: Snapshot): Engine {
  let whole: Promise<WholeReplies> | undefined;
  const wholeReplies = (): Promise<WholeReplies> =>
    (whole ??= unpackText(replies).then((text) => JSON.parse(text) as WholeReplies));
  const opened = new Map<StoryPack, Promise<readonly Story[]>>();
  const storyAt = async (position: number): Promise<Story> => {
    const pack = packs.find(({ positions }) => positions.includes(position));
    if (pack === undefined) throw new Error(otherwise);
    const stories = opened.get(pack) ?? unpackText(pack.stories).then((text) => JSON.parse(text) as readonly Story[]);
    opened.set(pack, stories);
    const story = (await stories)[pack.positions.indexOf(position)];
    if (story === undefined) throw new Error(otherwise);
    return story;
  };
  return {
    timeline: async () => decodeTimeline(await unpack(timeline)),
    async ask(name, question) {
      switch (name) {
        case 'explain':
        case 'event': {
          const { explain, event } = await storyAt((question as Calls['event']['ask']).event);
          if (name === 'event') return event as never;
          if (explain === undefined) throw new Error(otherwise);
          return explain as never;
        }
        case 'notes':
          return { notes: [], problem: NOT_KEPT } as never;
        case 'keep-notes':
          return { ...(question as Calls['keep-notes']['ask']), problem: NOT_KEPT } as never;
        default:
          return (await wholeReplies())[name as keyof WholeReplies] as never;
      }
    },
    close() {},
  };
}
