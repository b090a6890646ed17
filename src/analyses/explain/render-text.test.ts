import { expect, test } from 'vitest';
import { resultOf, subjectOf } from '../../test-kit/answers.ts';
import { expectGolden } from '../../test-kit/golden.ts';
import { realSubject } from '../../test-kit/traces.ts';
import type { RenderOptions, Subject } from '../contract.ts';
import { computeExplain } from './compute.ts';
import { renderExplain } from './render-text.ts';

const PLAIN: RenderOptions = { limit: 12, fullNames: false, style: (_, text) => text };

function textOf(subject: Subject, correlation: number, links = 12): string {
  const event = { kind: 'correlation', correlation } as const;
  return renderExplain(resultOf(computeExplain(subject, { event, links })), PLAIN);
}

const wide = (text: string): string[] => text.split('\n').filter((line) => line.length > 100);

/** An optimizer step waits for the all-reduce, whose gradient was launched late because the loss was read. */
const STORY = `
  ann 1    | ProfilerStep#5@0+1000 Optimizer.step#Adam.step@500+400
  py 1     | train.py(30): step@0+990 train.py(41): log@30+200 torch/nn/functional.py(9): relu@232+60
  cpu 1    | cudaLaunchKernel#1@2+5
           | aten::item@40+180 cudaStreamSynchronize#2@45+170
           | aten::mm@240+20 cudaLaunchKernel#3@245+5
           | aten::mm@265+20 cudaLaunchKernel#4@270+5
           | cudaEventRecord#5@300+2 cudaStreamWaitEvent#6@305+2 cudaLaunchKernel#7@310+5
           | cudaEventRecord#8@320+2 cudaStreamWaitEvent#9@505+2 cudaEventRecord#10@510+2 cudaStreamWaitEvent#11@515+2
           | aten::add_@520+20 cudaLaunchKernel#12@525+5
  gpu 0.7  | void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float> >(int, float*)#1@10+200
           | gemm#3@251+100 gemm_bwd#4@353+100
           | void multi_tensor_apply_kernel<AdamFunctor<float> >(float*)#12@757+20
  gpu 0.20 | ncclDevKernel_AllReduce_Sum_f32_RING_LL#7@455+300
  sync 0   | StreamSync#2{stream=7} StreamWait#6{stream=20,on=7,record=5,event=3}
           | StreamWait#9{stream=7,on=20,record=8,event=4} StreamWait#11{stream=7,on=24,record=10,event=5}`;

test('the text of a device op', () => expectGolden(import.meta.url, 'golden/kernel.txt', textOf(subjectOf(STORY), 12)));

test('the text of a call that waited', () =>
  expectGolden(import.meta.url, 'golden/call.txt', textOf(subjectOf(STORY), 2)));

test('no line is wider than 100 columns', () => {
  expect([12, 2, 7, 9].flatMap((correlation) => wide(textOf(subjectOf(STORY), correlation)))).toEqual([]);
  const subject = realSubject('sync/alexnet.json.gz');
  for (const correlation of [5144, 5181, 5188, 5213, 5629, 5610]) {
    expect(wide(textOf(subject, correlation))).toEqual([]);
  }
});

test('names cannot steer a terminal', () => {
  const name = 'evil\u001b[31m\u202e';
  const text = textOf(
    subjectOf(`
      py 1    | ${name}@0+50
      cpu 1   | ${name}op@0+40 cudaLaunchKernel#1@2+5
      gpu 0.7 | ${name}#1@9+5`),
    1,
  );
  expect(text).not.toContain('\u001b');
  expect(text).not.toContain('\u202e');
  expect(text).toContain('evil\\x1b[31m\\u202e');
});

test('a cut chain says where it goes on', () =>
  expect(textOf(subjectOf(STORY), 12, 1)).toMatch(
    /the chain goes on \(longpole explain …\s+e-\d+, or a\s+larger --limit\)/,
  ));
