import { describe, expect, test } from 'vitest';
import { traceOf } from '../test-kit/draw.ts';
import { openRealTrace } from '../test-kit/traces.ts';
import type { Trace } from '../trace/trace.ts';
import { backwardLinks } from './backward-links.ts';
import { type HostIndex, buildHost } from './host.ts';

const nameOf = ({ events, strings }: Trace, host: HostIndex, op: number): string =>
  strings.text(events.name[host.event[op]]);

/** `backward op -> forward op`, in order of start. */
function linksOf(trace: Trace): string[] {
  const host = buildHost(trace);
  return [...backwardLinks(trace, host)].flatMap((from, op) =>
    from === -1 ? [] : [`${nameOf(trace, host, op)} -> ${nameOf(trace, host, from)}`],
  );
}

describe('drawn', () => {
  test('the last op that read the number made the node', () => {
    const trace = traceOf(`
      cpu 1 | linear@0+40{seq=5} t@5+10{seq=5} addmm@20+15{seq=6} relu@50+5{seq=7}
      cpu 2 | ReluBackward0@100+5{seq=7,fwd=1} AddmmBackward0@110+5{seq=6,fwd=1} TBackward0@120+5{seq=5,fwd=1} AccumulateGrad@130+5
    `);
    expect(linksOf(trace)).toEqual(['ReluBackward0 -> relu', 'AddmmBackward0 -> addmm', 'TBackward0 -> t']);
  });
  test('numbers that come again: the one before it', () => {
    const trace = traceOf(
      'cpu 1 | a@0+5{seq=5} b@50+5{seq=5}\ncpu 2 | x@20+5{seq=5,fwd=1} y@70+5{seq=5,fwd=1} z@80+5{seq=9,fwd=1}',
    );
    expect(linksOf(trace)).toEqual(['x -> a', 'y -> b']);
  });
  test('a flow says it, also for the op around the one that it ends on', () => {
    const trace = traceOf(`
      cpu 1 | a@0+5{seq=5} b@10+5{seq=5}
      cpu 2 | evaluate@50+20{seq=5,fwd=1} inner@55+10{seq=5,fwd=1}
      flow  | fwdbwd#1 1@0 -> 2@55
    `);
    expect(linksOf(trace)).toEqual(['evaluate -> a', 'inner -> a']);
  });
  test('two forward threads count for themselves', () => {
    const trace = traceOf(`
      cpu 1 | a@0+5{seq=1} b@10+5{seq=2} c@20+5{seq=3}
      cpu 3 | p@2+5{seq=3} q@12+5{seq=4} r@22+5{seq=5}
      cpu 2 | x@50+5{seq=1,fwd=1} y@60+5{seq=2,fwd=1} z@70+5{seq=3,fwd=1} u@80+5{seq=4,fwd=2} v@90+5{seq=5,fwd=2} w@95+5{seq=3,fwd=2}
    `);
    expect(linksOf(trace)).toEqual(['x -> a', 'y -> b', 'z -> c', 'u -> q', 'v -> r', 'w -> p']);
  });
});

test('real: sequence numbers say what the flows say', () => {
  const trace = openRealTrace('single/nccl_args_a100_rank0of2.json.gz');
  const categories = trace.categories.map((each) => (each.name === 'fwdbwd' ? { ...each, name: 'other' } : each));
  const links = linksOf(trace);
  expect(links).toHaveLength(1086);
  expect(linksOf({ ...trace, categories })).toEqual(links);
});

test.each(['single/nccl_args_a100_rank0of2.json.gz', 'diff/a100_eager.json.gz', 'old/resnet50_2021_v100.json.gz'])(
  'real: %s: XBackward belongs to x',
  (file) => {
    const bare = (name: string): string =>
      name
        .replace(/^.*: |^aten::/, '')
        .replace(/Backward\d*$/, '')
        .replaceAll('_', '')
        .toLowerCase();
    const named = linksOf(openRealTrace(file)).filter(
      (link) => /Backward\d* ->/.test(link) && !/CppNode|All2All/.test(link),
    );
    const wrong = named.filter((link) => {
      const [backward = '', forward = ''] = link.split(' -> ').map(bare);
      return !forward.startsWith(backward);
    });
    expect(named.length).toBeGreaterThan(1000);
    expect(wrong).toEqual([]);
  },
);
