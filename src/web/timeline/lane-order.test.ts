import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sampleTimeline } from '../../test-kit/sample-timeline.ts';
import { type LaneWishes, movedLane, orderLanes, parseLaneFilter } from './lane-order.ts';
import { placeLanes, rowAt, rowsBetween } from './lanes.ts';

const timeline = sampleTimeline([[[0, 1]], [[0, 1]], [[0, 1]], [[0, 1]]], {
  lanes: [
    { id: 's-0.7', kind: 'stream', rows: 1 },
    { id: 't-1.1', kind: 'host', rows: 2 },
    { id: 'sync-t-0.7', kind: 'sync', rows: 1 },
  ],
});
const wish = (wishes: Partial<LaneWishes> = {}): LaneWishes => ({ pinned: [], order: [], filter: '', ...wishes });
const idsOf = (wishes: LaneWishes): string[] => orderLanes(timeline, wishes).shown.map((at) => timeline.lanes[at].id);

test('pinned lanes come first and pass the filter, then those that are wanted', () => {
  expect(idsOf(wish())).toEqual(['s-0.7', 't-1.1', 'sync-t-0.7']);
  expect(idsOf(wish({ filter: 'stream' }))).toEqual(['s-0.7']);
  expect(idsOf(wish({ filter: '-sync, -HOST' }))).toEqual(['s-0.7']);
  expect(idsOf(wish({ filter: 'stream', pinned: ['sync-t-0.7', 'gone'] }))).toEqual(['sync-t-0.7', 's-0.7']);
  expect(orderLanes(timeline, wish({ pinned: ['t-1.1'] })).pinned).toBe(1);
  expect(timeline.lanes.filter(parseLaneFilter(' , -'))).toHaveLength(3);
});

test('ranks of rows follow the order; rows that are not shown come last', () => {
  const { rankOf, rowOf } = orderLanes(timeline, wish({ filter: '-stream', pinned: ['sync-t-0.7'] }));
  expect([...rowOf]).toEqual([3, 1, 2, 0]);
  expect([...rowOf].map((row) => rankOf[row])).toEqual([0, 1, 2, 3]);
});

test('a lane moves past its neighbour and back, and what is as before is not told', () => {
  const up = movedLane(timeline, wish(), 'sync-t-0.7', -1);
  expect(idsOf(up)).toEqual(['s-0.7', 'sync-t-0.7', 't-1.1']);
  expect(movedLane(timeline, up, 'sync-t-0.7', 1)).toEqual(wish());
  expect(movedLane(timeline, wish(), 's-0.7', -1)).toEqual(wish());
  expect(movedLane(timeline, wish({ pinned: ['s-0.7', 't-1.1'] }), 't-1.1', -1).pinned).toEqual(['t-1.1', 's-0.7']);
  // Past the lanes that are filtered away.
  expect(idsOf({ ...movedLane(timeline, wish({ filter: '-host' }), 's-0.7', 1), filter: '' })).toEqual([
    't-1.1',
    'sync-t-0.7',
    's-0.7',
  ]);
});

test('whatever is wished, each lane is shown once, and rows are found where they are placed', () => {
  const ids = fc.array(fc.constantFrom('s-0.7', 't-1.1', 'sync-t-0.7', 'gone'), { maxLength: 5 });
  fc.assert(
    fc.property(fc.uniqueArray(fc.constantFrom('s-0.7', 't-1.1', 'sync-t-0.7')), ids, (pinned, order) => {
      const wishes = wish({ pinned, order });
      expect(idsOf(wishes).toSorted()).toEqual(['s-0.7', 'sync-t-0.7', 't-1.1']);
      const layout = placeLanes(timeline, () => false, orderLanes(timeline, wishes));
      for (const row of [0, 1, 2, 3]) expect(rowAt(layout, layout.rowTop[row] + 5)).toBe(row);
      const { rowOf } = orderLanes(timeline, wishes);
      const tops = [...rowOf].map((row) => layout.rowTop[row]);
      expect(tops).toEqual(tops.toSorted((a, b) => a - b));
    }),
  );
});

test('rows of a lane that is not shown are hidden, and lie below all others', () => {
  const layout = placeLanes(timeline, () => false, orderLanes(timeline, wish({ filter: 'host' })));
  expect([...layout.isHidden]).toEqual([1, 0, 0, 1]);
  expect(layout.rowTop[0]).toBeGreaterThan(layout.height);
  expect(rowsBetween(layout, 0, Infinity)).toEqual([1, 2]);
});
