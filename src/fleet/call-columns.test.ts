import { expect, test } from 'vitest';
import type { EventId } from '../trace/ids.ts';
import { callsOf, toCallColumns } from './call-columns.ts';
import { fromColumnsJson, toColumnsJson } from './columns-json.ts';
import type { CommCall } from './model.ts';

/** Each field that there is, so that none is forgotten. */
const CALL: Required<CommCall> = {
  events: [7 as EventId],
  startNs: 5_000_000_000,
  endNs: 5_000_000_010,
  idleFromNs: undefined,
  op: 'all-reduce',
  name: 'allreduce',
  group: 1,
  sequence: 2 ** 40,
  commsId: '17684532091722331739',
  peer: -1,
  bytesIn: 48,
  bytesOut: 48,
  dtype: 'BFloat16',
  sizeBytes: 48,
  step: 3,
  annotation: '',
  hasZeroSplit: false,
  from: 'args',
};
const CALLS: readonly CommCall[] = [
  CALL,
  { ...CALL, events: [], startNs: -4, commsId: '', sequence: -1, step: -1 },
  { ...CALL, events: [1 as EventId, 9 as EventId], bytesIn: undefined, sizeBytes: undefined, hasZeroSplit: true },
  {
    ...CALL,
    idleFromNs: 5_000_000_004,
    op: 'send',
    name: 'other',
    group: 0,
    peer: 4,
    bytesOut: 3,
    dtype: '',
    annotation: 'a',
    from: 'record',
  },
];
const FIELDS = Object.keys(CALL) as readonly (keyof CommCall)[];

test('calls come back from their columns as they were, and from those as JSON', () => {
  const columns = toCallColumns(CALLS);
  expect(columns.shapes).toHaveLength(3);
  for (const read of [columns, fromColumnsJson(toColumnsJson(columns)) as typeof columns]) {
    const rows = callsOf(read);
    expect(rows.map((row) => Object.fromEntries(FIELDS.map((field) => [field, row[field]])))).toEqual(CALLS);
  }
});
