import { describe, expect, test } from 'vitest';
import { resultOf, subjectOf } from '../../test-kit/answers.ts';
import { realSubject } from '../../test-kit/traces.ts';
import type { Subject } from '../contract.ts';
import { computeExplain } from './compute.ts';
import type { ExplainOptions } from './options.ts';
import type { ChainLink, ExplainResult, Rival } from './result.ts';

const explainBy = (subject: Subject, options: Partial<ExplainOptions>): ExplainResult =>
  resultOf(computeExplain(subject, { event: { kind: 'position', position: 0 }, links: 12, ...options }));
const byCorrelation = (correlation: number): Pick<ExplainOptions, 'event'> => ({
  event: { kind: 'correlation', correlation },
});
const explain = (drawing: string, correlation: number, options: Partial<ExplainOptions> = {}): ExplainResult =>
  explainBy(subjectOf(drawing), { ...byCorrelation(correlation), ...options });
/** The event of a name, by its handle. */
const explainNamed = (drawing: string, name: string): ExplainResult => {
  const subject = subjectOf(drawing);
  return explainBy(subject, { event: { kind: 'position', position: positionOf(subject, name) } });
};

function positionOf({ trace }: Subject, name: string): number {
  const { events, strings } = trace;
  for (let e = 0; e < events.length; e++) if (strings.text(events.name[e]) === name) return events.position[e];
  throw new Error(`no event ${name}`);
}

/** `relu start <stream-wait gemm end, 2 µs, 12 held`: of a run with its links, ops and parts. */
const linkOf = ({ event, moment, boundBy, source, sourceMoment, lagNs, heldNs, run }: ChainLink): string =>
  `${event.name} ${moment} <${boundBy} ${source.name} ${sourceMoment}, ${lagNs / 1000}${heldNs === undefined ? '' : `, ${heldNs / 1000} held`}` +
  (run === undefined ? '' : ` [${run.links} links, ${run.ops} ops]`);
const chainOf = ({ chain }: ExplainResult): string[] => chain.map(linkOf);
const rivalOf = (rival: Rival): string =>
  'source' in rival
    ? `${rival.kind} ${rival.source.name} ${rival.sourceMoment}, slack ${rival.slackNs / 1000}`
    : `${rival.kind} ${rival.wait.wait} ${rival.status}`;

const TWO_STREAMS = `
  ann 1    | ProfilerStep#5@0+100 forward@1+40
  py 1     | train.py(12): step@0+99 torch/nn/functional.py(9): relu@18+10
  cpu 1    | mm@2+8 cudaLaunchKernel#1@4+5 cudaEventRecord#2@12+2 cudaStreamWaitEvent#3@15+2
           | aten::relu@19+8 cudaLaunchKernel#4@20+5
  gpu 0.7  | gemm#1@15+30
  gpu 0.20 | relu#4@47+5
  sync 0   | StreamWait#3{stream=20,on=7,record=2,event=1}`;

describe('a device op', () => {
  test('that waited names record, stream, event and calls, and how late it was', () => {
    const result = explain(TWO_STREAMS, 4);
    expect(chainOf(result)).toEqual([
      // Its launch, at 20, would have let it begin at 26: the usual 6 µs later.
      'relu start <stream-wait gemm end, 2, 21 held',
      'gemm start <launch cudaLaunchKernel start, 11',
      'cudaLaunchKernel start <host-order mm start, 2',
    ]);
    expect(result.chainEnd).toEqual({ kind: 'thread-start' });
    expect(result.chain[0]).toMatchObject({
      atNs: 47_000,
      typicalNs: 1_500,
      sourceRanNs: 30_000,
      wait: {
        wait: 3,
        waitCall: { name: 'cudaStreamWaitEvent', correlation: 3 },
        record: 2,
        recordCall: { name: 'cudaEventRecord', correlation: 2 },
        recordedOn: 's-0.7',
        cudaEventId: 1,
      },
    });
    expect(result.rivals.map(rivalOf)).toEqual(['launch cudaLaunchKernel start, slack 21']);
    expect(result.holds).toEqual([]);
  });

  test('says its launch, operator, Python line, annotation and step', () => {
    const { event } = explain(TWO_STREAMS, 4);
    expect(event).toMatchObject({
      kind: 'device-op',
      lane: 's-0.20',
      endNs: event.startNs + 5_000,
      launch: { name: 'cudaLaunchKernel', correlation: 4, op: { name: 'aten::relu' }, python: 'train.py(12): step' },
      annotation: 'forward',
      step: 'ProfilerStep#5',
    });
  });

  test('says what it held up', () => {
    const { holds } = explain(TWO_STREAMS, 1);
    expect(holds).toMatchObject([
      { event: { name: 'relu' }, moment: 'start', boundBy: 'stream-wait', lagNs: 2_000, wait: { record: 2, wait: 3 } },
    ]);
  });

  test('a wait that did not bind is a rival, one for an empty stream came to nothing', () => {
    const result = explain(
      `
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaStreamWaitEvent#3@9+2
               | cudaEventRecord#4@12+2 cudaStreamWaitEvent#5@15+2 cudaLaunchKernel#6@60+5
      gpu 0.7  | a#1@8+10
      gpu 0.20 | b#6@66+10
      sync 0   | StreamWait#3{stream=20,on=7,record=2,event=1} StreamWait#5{stream=20,on=24,record=4,event=2}`,
      6,
    );
    expect(result.chain[0]).toMatchObject({ boundBy: 'launch', heldNs: 46_500 });
    expect(result.rivals.map(rivalOf)).toEqual(['stream-wait a end, slack 46.5', 'stream-wait 5 empty']);
    expect(result.rivals[0]).toMatchObject({ wait: { wait: 3, record: 2, recordedOn: 's-0.7' }, arrivalNs: 19_500 });
  });

  test('ops of one stream are one link behind the first', () => {
    const result = explain(
      `
      cpu 1   | cudaLaunchKernel#1@0+1 cudaLaunchKernel#2@2+1 cudaLaunchKernel#3@4+1 cudaLaunchKernel#4@6+1
      gpu 0.7 | a#1@5+10 b#2@16+10 b#3@27+20 c#4@48+10`,
      4,
    );
    expect(chainOf(result)).toEqual([
      'c start <stream-order b end, 1, 36 held',
      'b start <stream-order a end, 12 [2 links, 1 ops]',
      'a start <launch cudaLaunchKernel start, 5',
    ]);
    expect(result.chain[1]?.run).toMatchObject({
      totalNs: 12_000,
      parts: [
        { name: 'b', count: 1, totalNs: 10_000 },
        { name: '', gap: true, count: 2, totalNs: 2_000 },
      ],
    });
    expect(result.chainEnd).toEqual({ kind: 'thread-start' });
  });

  test('behind a late launch the story ends where the host was in time', () => {
    const result = explain(
      `
      cpu 1   | cudaLaunchKernel#1@0+1 early@2+10 work@12+30 cudaLaunchKernel#2@50+1
      gpu 0.7 | a#1@5+10 b#2@56+10`,
      2,
    );
    // All but the launch would have let b begin at 16.5: 1.5 µs after a.
    expect(chainOf(result)).toEqual([
      'b start <launch cudaLaunchKernel start, 6, 39.5 held',
      'cudaLaunchKernel start <host-order work start, 38 [2 links, 0 ops]',
    ]);
    expect(result.chain[1]?.run?.parts).toMatchObject([
      { name: 'work', totalNs: 30_000 },
      { name: '', gap: true, totalNs: 8_000 },
    ]);
    expect(result.chainEnd).toEqual({ kind: 'in-time' });
  });

  test('a launch that was late because of a synchronising call leads on to what that waited for', () => {
    const result = explain(
      `
      py 1    | train.py(7): log@0+90
      cpu 1   | cudaLaunchKernel#1@0+1 aten::item@2+60 cudaStreamSynchronize#2@4+55 aten::add@64+10 cudaLaunchKernel#3@66+2
      gpu 0.7 | a#1@6+50 b#3@72+5
      sync 0  | StreamSync#2{stream=7}`,
      3,
    );
    expect(chainOf(result)).toEqual([
      'b start <launch cudaLaunchKernel start, 6, 14.5 held',
      'cudaLaunchKernel start <host-order cudaStreamSynchronize end, 7 [3 links, 1 ops]',
      'cudaStreamSynchronize end <stream-sync a end, 3, 53.5 held',
      'a start <launch cudaLaunchKernel start, 6',
    ]);
    expect(result.chain[2]?.event).toMatchObject({ op: { name: 'aten::item' }, python: 'train.py(7): log' });
  });

  test('a link that a rule found says so', () => {
    const graph = explain(
      `
      cpu 1   | cudaGraphLaunch#1@0+10
      gpu 0.7 | a#1@12+10 b#1@23+10`,
      1,
    );
    expect(graph.notes[0]).toBe('2 device ops have correlation 1: this is the one that began first');
    expect(graph.holds).toMatchObject([{ event: { name: 'b' }, boundBy: 'graph', rule: 'heuristic:graph-order' }]);
    const inferred = explain(
      `
      cpu 1    | cudaLaunchKernel#1@0+5 cudaEventRecord#2@6+2 cudaStreamWaitEvent#3@9+2 cudaLaunchKernel#4@12+5
      gpu 0.7  | a#1@8+400
      gpu 0.20 | b#4@410+10`,
      4,
    );
    expect(inferred.chain[0]).toMatchObject({
      boundBy: 'inferred-wait',
      rule: 'heuristic:wait-call',
      support: expect.stringContaining('call 3'),
      wait: { wait: 3 },
    });
    const exact = explain(
      `
      cpu 1    | cudaLaunchKernel#1@0+5
      gpu 0.20 | b#1@410+10`,
      1,
      { exact: true },
    );
    expect(exact.chain[0]).toMatchObject({ boundBy: 'launch', unexplainedNs: 404_000, cause: 'device-idle' });
  });

  test('without its launch in the trace the chain ends there', () => {
    const result = explain(
      `
      cpu 1   | cudaLaunchKernel#2@0+5
      gpu 0.7 | a#1@8+10 b#2@19+5`,
      2,
    );
    expect(chainOf(result)).toEqual(['b start <stream-order a end, 1, 13 held']);
    expect(result.chainEnd).toEqual({ kind: 'no-launch' });
  });

  test('the limit cuts the chain, and says so', () => {
    const result = explain(TWO_STREAMS, 4, { links: 1 });
    expect(result.chain).toHaveLength(1);
    expect(result.chainEnd).toEqual({ kind: 'limit' });
  });

  test('the chain does not go on behind the start of its step', () => {
    const result = explain(
      `
      ann 1   | ProfilerStep#1@0+50 ProfilerStep#2@50+50
      cpu 1   | cudaLaunchKernel#1@2+5 mm@20+10 cudaLaunchKernel#2@60+5
      gpu 0.7 | a#1@8+10 b#2@66+5`,
      2,
    );
    expect(chainOf(result)).toEqual([
      'b start <launch cudaLaunchKernel start, 6, 46.5 held',
      'cudaLaunchKernel start <host-order mm end, 30',
    ]);
    expect(result.chainEnd).toEqual({ kind: 'window-start', label: 'ProfilerStep#2' });
  });
});

describe('an event of the host', () => {
  const SYNC = `
    cpu 1   | cudaLaunchKernel#1@0+5 mm@8+20 cudaStreamSynchronize#2@30+40
    gpu 0.7 | a#1@6+50
    sync 0  | StreamSync#2{stream=7}`;

  test('a synchronising call: why it began, and why it returned', () => {
    const result = explain(SYNC, 2);
    expect(chainOf(result)).toEqual([
      'cudaStreamSynchronize start <host-order mm end, 2',
      'mm end <host-order cudaLaunchKernel start, 28 [3 links, 1 ops]',
    ]);
    expect(result.ended?.links.map(linkOf)).toEqual([
      'cudaStreamSynchronize end <stream-sync a end, 14, 38.5 held',
      'a start <launch cudaLaunchKernel start, 6',
    ]);
    expect(result.rivals.map(rivalOf)).toEqual(['host-order cudaStreamSynchronize start, slack 38.5']);
    expect(result.edges).toMatchObject([{ role: 'wait', status: 'resolved', binds: true, source: { name: 'a' } }]);
  });

  test('what its return held up lies behind the op around it', () => {
    const { holds } = explain(
      `
      cpu 1   | cudaLaunchKernel#1@0+5 aten::item@8+60 cudaStreamSynchronize#2@10+50 next@70+5
      gpu 0.7 | a#1@6+50
      sync 0  | StreamSync#2{stream=7}`,
      2,
    );
    expect(holds).toMatchObject([
      { event: { name: 'next' }, moment: 'start', boundBy: 'host-order', sourceMoment: 'end', lagNs: 10_000 },
    ]);
  });

  test('one whose work was over says that it waited for nothing', () => {
    const result = explain(
      `
      cpu 1   | cudaLaunchKernel#1@0+5 cudaStreamSynchronize#2@60+4
      gpu 0.7 | a#1@6+50
      sync 0  | StreamSync#2{stream=7}`,
      2,
    );
    expect(result.ended?.links.map(linkOf)).toEqual([
      'cudaStreamSynchronize end <host-order cudaStreamSynchronize start, 4',
    ]);
    expect(result.rivals.map(rivalOf)[0]).toMatch(/^stream-sync a end, slack/);
  });

  test('a backward op began because another thread handed work over', () => {
    const result = explainNamed(
      `
      cpu 1               | fw@0+10{seq=1} after@400+10
      cpu 2:pt_autograd_0 | bw@30+300{seq=1,fwd=1}`,
      'bw',
    );
    expect(chainOf(result)[0]).toBe('bw start <thread fw end, 20');
    expect(result.holds).toMatchObject([{ event: { name: 'after' }, boundBy: 'thread' }]);
  });

  test('a launch says what it launched, a record who awaits it', () => {
    const subject = subjectOf(TWO_STREAMS);
    const launch = explainBy(subject, {
      event: { kind: 'position', position: explain(TWO_STREAMS, 4).event.launch?.event ?? -1 },
    });
    expect(launch.event).toMatchObject({ kind: 'host-op', launched: [{ name: 'relu' }], op: { name: 'aten::relu' } });
    expect(explain(TWO_STREAMS, 2).edges).toMatchObject([
      {
        role: 'record',
        status: 'resolved',
        binds: true,
        wait: { wait: 3 },
        source: { name: 'gemm' },
        sink: { name: 'relu' },
      },
    ]);
  });
});

describe('what is no op', () => {
  const reasonOf = (drawing: string, name: string): string => {
    const subject = subjectOf(drawing);
    const event = { kind: 'position', position: positionOf(subject, name) } as const;
    const outcome = computeExplain(subject, { event, links: 12 });
    return outcome.status === 'ok' ? 'ok' : outcome.reason;
  };

  test('a synchronisation row stands for what waits by it', () => {
    const result = explainNamed(TWO_STREAMS, 'Stream Wait Event');
    expect(result.event.name).toBe('relu');
    expect(result.asked).toMatchObject({ name: 'Stream Wait Event', correlation: 3 });
  });

  test('labels say what they are', () => {
    expect(reasonOf(TWO_STREAMS, 'forward')).toMatch(/^e-\d+ \("forward"\) is an annotation/);
    expect(reasonOf(TWO_STREAMS, 'train.py(12): step')).toMatch(/is a Python frame/);
  });

  test('a position without an event names the range', () => {
    const outcome = computeExplain(subjectOf(TWO_STREAMS), { event: { kind: 'position', position: 9_999 }, links: 1 });
    expect(outcome).toMatchObject({
      status: 'not-applicable',
      reason: expect.stringMatching(/positions are 0 to \d+$/),
    });
  });
});

test.each([
  // wait, record, source and sink by correlation, the stream that the record was made on: issue 2, "Done when" 3.
  [5170, 5169, 5144, 5181, 's-0.7', 's-0.20'],
  [5183, 5180, 5178, 5188, 's-0.7', 's-0.20'],
  [5194, 5193, 5190, 5213, 's-0.20', 's-0.7'],
  [5586, 5585, 5560, 5597, 's-0.7', 's-0.20'],
  [5599, 5596, 5594, 5604, 's-0.7', 's-0.20'],
  [5610, 5609, 5606, 5629, 's-0.20', 's-0.7'],
])('alexnet: the first kernel after wait %i names record %i and source %i', (wait, record, source, sink, from, to) => {
  const { event, chain, rivals } = explainBy(realSubject('sync/alexnet.json.gz'), byCorrelation(sink));
  expect(event).toMatchObject({ kind: 'device-op', correlation: sink, lane: to });
  const all = [...chain.slice(0, 1), ...rivals.filter((rival) => 'source' in rival)];
  expect(all.filter((cause) => cause.wait?.wait === wait)).toMatchObject([
    { source: { correlation: source, lane: from }, sourceMoment: 'end', wait: { record, recordedOn: from } },
  ]);
});

test('alexnet: the last of these waits bound its kernel', () => {
  const { chain } = explainBy(realSubject('sync/alexnet.json.gz'), byCorrelation(5629));
  expect(chain[0]).toMatchObject({ boundBy: 'stream-wait', lagNs: 1_000, wait: { wait: 5610, record: 5609 } });
});

test.each(['sync/alexnet.json.gz', 'sync/event_sync.json.gz', 'sync/multi_stream.json.gz'])(
  '%s: every event has a chain whose links join, or a reason',
  (file) => {
    const subject = realSubject(file);
    const broken: string[] = [];
    for (let position = 0; position < subject.trace.eventCount; position++) {
      const outcome = computeExplain(subject, { event: { kind: 'position', position }, links: 12 });
      if (outcome.status !== 'ok') {
        if (!outcome.reason.startsWith(`e-${position} `)) broken.push(`${position}: ${outcome.reason}`);
        continue;
      }
      const { chain, ended, rivals } = outcome.result;
      for (const links of [chain, ended?.links ?? []]) {
        links.forEach((link, i) => {
          const next = links[i + 1];
          if (link.lagNs !== link.atNs - link.sourceNs) broken.push(`${position}: lag of link ${i}`);
          if (next !== undefined && next.event.event !== link.source.event) broken.push(`${position}: link ${i}`);
          if (next !== undefined && next.atNs > link.sourceNs) broken.push(`${position}: link ${i} goes forward`);
        });
      }
      for (const rival of rivals) {
        if ('source' in rival && rival.slackNs < 0) broken.push(`${position}: slack of a rival`);
      }
    }
    expect(broken).toEqual([]);
  },
);
