// Windows and the unexplained, where only these drawings tell a rule from its mutants (`bench/mutants/windows.ts`).
import { describe, expect, test } from 'vitest';
import { annotationWindow, pathOf, stepWindow } from '../test-kit/answers.ts';
import { breakdownOf, kindsOf, pathTextOf, windowsOf } from '../test-kit/words.ts';

describe('what no constraint explains', () => {
  test('a launch call that took long has explained that itself', () => {
    const path = pathOf(`
      cpu 1    | cudaLaunchKernel#1@0+100
      gpu 0.7  | a#1@105+10`);
    expect(breakdownOf(path)).toEqual({ 'host-work': 100, launch: 5, kernel: 10 });
  });

  test('a graph launch without rows may fill the time', () => {
    const path = pathOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 cudaGraphLaunch#2@6+5 cudaLaunchKernel#3@12+5
      gpu 0.7  | a#1@8+40 b#3@148+10`);
    expect(pathTextOf(path)).toContain('49.5..148 unexplained b#3 (graph-rows-missing)');
  });
});

describe('windows', () => {
  test('a step whose device work was over first lasts as long as its annotation', () => {
    const path = pathOf(`
      ann 1    | ProfilerStep#1@0+100 ProfilerStep#2@100+100
      cpu 1    | cudaLaunchKernel#1@5+5 mm@10+85 cudaLaunchKernel#2@105+5
      gpu 0.7  | a#1@12+30 b#2@112+138`);
    expect(windowsOf(path)).toEqual(['ProfilerStep#1 0..100 complete', 'ProfilerStep#2 100..250 complete']);
  });

  test('its path begins on the thread', () => {
    const path = pathOf(
      `
      ann 1    | ProfilerStep#1@0+100 ProfilerStep#2@100+100
      cpu 1    | cudaLaunchKernel#1@0+5 mm@5+95 cudaLaunchKernel#2@105+5
      gpu 0.7  | a#1@12+30 b#2@112+138`,
      stepWindow(1),
    );
    expect(kindsOf(path)).toEqual(['0..100 host-work']);
  });

  test('a step that lost device rows is not complete', () => {
    const drawing = `
      ann 1    | ProfilerStep#1@0+100 ProfilerStep#2@100+100
      cpu 1    | cudaLaunchKernel#1@5+5 cudaLaunchKernel#2@15+5 cudaLaunchKernel#3@105+5
      gpu 0.7  | a#1@12+30 b#3@112+138`;
    expect(windowsOf(pathOf(drawing, stepWindow(1)))).toEqual(['ProfilerStep#1 0..100 incomplete']);
    expect(windowsOf(pathOf(drawing))).toEqual(['ProfilerStep#2 100..250 complete']);
  });

  test('less than a millisecond between two steps belongs to the second', () => {
    const path = pathOf(`
      ann 1    | ProfilerStep#1@0+100 ProfilerStep#2@1050+100
      cpu 1    | a@0+90 eval@200+700 b@1050+90`);
    expect(windowsOf(path)).toEqual(['ProfilerStep#1 0..100 complete', 'ProfilerStep#2 100..1150 complete']);
  });

  test('of annotations inside each other the outermost counts', () => {
    const path = pathOf(
      `
      ann 1    | forward@0+100 forward@10+40 forward@100+50
      cpu 1    | a@0+90 b@100+40`,
      annotationWindow('forward'),
    );
    expect(windowsOf(path)).toEqual(['forward 0..100 complete', 'forward 100..150 complete']);
  });

  test('of annotations on several threads those of the thread with the most launches count', () => {
    const path = pathOf(`
      ann 1    | ProfilerStep#1@0+100
      ann 2    | ProfilerStep#1@10+200
      cpu 1    | a@0+90
      cpu 2    | cudaLaunchKernel#1@15+5 b@20+180
      gpu 0.7  | k#1@22+10`);
    expect(windowsOf(path)).toEqual(['ProfilerStep#1 10..210 complete']);
  });

  test('without launches the main thread is the one with the most time in ops', () => {
    const path = pathOf(`
      cpu 1    | a@0+10 b@20+10
      cpu 2    | c@5+80`);
    expect(path.window).toMatchObject({ startNs: 0, endNs: 85_000 });
  });
});
