// Without the rows that say which event waited for which, nothing may be called resolved.
import { describe, expect, test } from 'vitest';
import { pathFor, subjectFor, syncFor } from '../test-kit/answers.ts';
import { brokenPath, brokenSync } from '../test-kit/checks.ts';
import { readJson } from '../test-kit/draw.ts';
import { realJson, realSubject } from '../test-kit/traces.ts';

interface Row {
  readonly cat?: string;
}

function withoutSyncRows(file: string): string {
  const trace = JSON.parse(new TextDecoder().decode(realJson(file))) as { traceEvents: Row[] };
  return JSON.stringify({ ...trace, traceEvents: trace.traceEvents.filter(({ cat }) => cat !== 'cuda_sync') });
}

describe.each(['sync/multi_stream.json.gz', 'sync/event_sync.json.gz', 'sync/alexnet.json.gz'])('%s', (file) => {
  test('with its sync rows has resolved edges', () => {
    expect(syncFor(realSubject(file)).edges.some(({ status }) => status === 'resolved')).toBe(true);
  });

  test('with its sync rows hidden has none, and says so', () => {
    const subject = subjectFor(readJson(withoutSyncRows(file), file));
    const sync = syncFor(subject);
    expect(sync.edges.filter(({ status, kind }) => status === 'resolved' && kind !== 'copy-sync')).toEqual([]);
    expect(sync.records.filter(({ status }) => status === 'resolved')).toEqual([]);
    expect(sync.coverage.waits).toMatchObject({ total: 0, resolved: 0 });
    expect(sync.coverage.syncRows.total).toBe(0);
    expect(sync.notes.length).toBeGreaterThan(0);
    expect([...brokenSync(sync), ...brokenPath(pathFor(subject))]).toEqual([]);
  });
});
