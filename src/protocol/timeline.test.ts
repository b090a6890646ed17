import { expect, test } from 'vitest';
import { sampleTimeline } from '../test-kit/sample-timeline.ts';
import { decodeTimeline, encodeTimeline } from './timeline.ts';

test('a timeline is the same on the other side', () => {
  for (const names of [['a'], ['ab', 'kérnel “☃” \u202e </script>']]) {
    const timeline = sampleTimeline([[[0, 3]], [], [[1, 2]]], {
      names,
      path: [1],
      counter: [
        [1, 4],
        [2, 0],
      ],
    });
    const { buffer } = encodeTimeline(timeline);
    expect(decodeTimeline(buffer)).toEqual(timeline);
  }
});

test('something else is not taken for one', () => {
  expect(() => decodeTimeline(new TextEncoder().encode('<!doctype html><p>log in first').buffer)).toThrow(
    /no timeline/,
  );
});
