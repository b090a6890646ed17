// Which part of the trace a window is, and that paths of windows tile: ARCHITECTURE.md, "Windows".
import { describe, expect, test } from 'vitest';
import { DEFAULT_WINDOW, annotationWindow, pathOf, rangeWindow, stepWindow } from '../test-kit/answers.ts';
import { brokenPath } from '../test-kit/checks.ts';
import { breakdownOf, kindsOf, windowsOf } from '../test-kit/words.ts';

describe('windows', () => {
  const STEPS = `
    ann 1    | ProfilerStep#1@0+100 ProfilerStep#2@100+100
    cpu 1    | cudaLaunchKernel#1@5+5 cudaLaunchKernel#2@105+5
    gpu 0.7  | a#1@12+138 b#2@152+98`;

  test('a step ends when its device work does, and the next one begins there', () => {
    const path = pathOf(STEPS);
    expect(windowsOf(path)).toEqual(['ProfilerStep#1 0..150 complete', 'ProfilerStep#2 150..250 complete']);
    expect(path.window).toMatchObject({ startNs: 0, endNs: 250_000, wallNs: 250_000, deviceEndNs: 250_000 });
    expect(brokenPath(path)).toEqual([]);
  });

  test('the path of one step begins where the one before was done', () => {
    expect(kindsOf(pathOf(STEPS, stepWindow(2)))).toEqual(['150..152 stream-gap b#2', '152..250 kernel b#2']);
    expect(windowsOf(pathOf(STEPS, stepWindow(1)))).toEqual(['ProfilerStep#1 0..150 complete']);
  });

  test('the paths of the steps add up to the path of all', () => {
    const all = breakdownOf(pathOf(STEPS));
    const parts = [1, 2].map((step) => breakdownOf(pathOf(STEPS, stepWindow(step))));
    for (const [kind, total] of Object.entries(all)) {
      expect(parts.reduce((sum, part) => sum + (part[kind] ?? 0), 0)).toBe(total);
    }
  });

  test('step 1 is not step 10 or 11', () => {
    const drawing = `
      ann 1    | ProfilerStep#10@0+50 ProfilerStep#11@50+50 ProfilerStep#1@100+50
      cpu 1    | a@0+40 b@50+40 c@100+40`;
    expect(windowsOf(pathOf(drawing, stepWindow(1)))).toEqual([expect.stringMatching(/^ProfilerStep#1 100\.\.150/)]);
    expect(windowsOf(pathOf(drawing, stepWindow(10)))).toEqual([expect.stringMatching(/^ProfilerStep#10 0\.\.50/)]);
  });

  test('an annotation is found by its exact name', () => {
    const drawing = `
      ann 1    | forward_all@0+100 forward@10+40 forward@60+30
      cpu 1    | a@12+30 b@62+20`;
    expect(windowsOf(pathOf(drawing, annotationWindow('forward', 0)))).toEqual([
      expect.stringMatching(/^forward 10\.\.50/),
    ]);
    expect(windowsOf(pathOf(drawing, annotationWindow('forward', 1)))).toEqual([
      expect.stringMatching(/^forward 60\.\.90/),
    ]);
    expect(() => pathOf(drawing, annotationWindow('forw'))).toThrow(/not applicable/);
  });

  test('an annotation matches a pattern only where it is asked for', () => {
    const window = { kind: 'annotation', name: '^forw', match: true, first: 0, last: 0 } as const;
    const path = pathOf(
      `
      ann 1    | backward@0+10 forward@10+40
      cpu 1    | a@12+30`,
      window,
    );
    expect(windowsOf(path)).toEqual([expect.stringMatching(/^forward 10\.\.50/)]);
  });

  test("an annotation's window lasts until the work that it launched is done", () => {
    const path = pathOf(
      `
      ann 1    | forward@10+40
      cpu 1    | mm@10+30 cudaLaunchKernel#1@15+5
      gpu 0.7  | a#1@22+78`,
      annotationWindow('forward'),
    );
    expect(windowsOf(path)).toEqual([expect.stringMatching(/^forward 10\.\.100/)]);
    expect(path.window).toMatchObject({ hostEndNs: 40_000, deviceEndNs: 90_000 });
    expect(kindsOf(path)).toEqual(['10..20 host-work', '20..22 launch a#1', '22..100 kernel a#1']);
  });

  test('a step lasts until the work that any thread launched in it is done', () => {
    const path = pathOf(`
      ann 1    | ProfilerStep#1@0+100 ProfilerStep#2@100+100
      cpu 1    | cudaLaunchKernel#1@5+5 mm@20+70 cudaLaunchKernel#3@105+5 mm@120+70
      cpu 2    | cudaLaunchKernel#2@50+5
      gpu 0.7  | a#1@12+10 b#2@60+80 c#3@145+100`);
    expect(windowsOf(path)).toEqual(['ProfilerStep#1 0..140 complete', 'ProfilerStep#2 140..245 complete']);
    expect(brokenPath(path)).toEqual([]);
  });

  test('a launch that starts where a step ends belongs to the next one', () => {
    const path = pathOf(`
      ann 1    | ProfilerStep#1@0+100 ProfilerStep#2@100+100
      cpu 1    | cudaLaunchKernel#1@5+5 cudaLaunchKernel#2@100+5
      gpu 0.7  | a#1@12+100 b#2@115+135`);
    expect(windowsOf(path)).toEqual(['ProfilerStep#1 0..112 complete', 'ProfilerStep#2 112..250 complete']);
  });

  test('several instances of an annotation are a window each', () => {
    const drawing = `
      ann 1    | forward@0+40 forward@50+40 forward@100+40
      cpu 1    | a@0+30 b@50+30 c@100+30`;
    const path = pathOf(drawing, annotationWindow('forward', 1, 2));
    expect(path.window).toMatchObject({ startNs: 50_000, endNs: 140_000 });
    expect(path.path.totalNs).toBe(90_000);
  });

  test('work that was enqueued before the window and runs into it is shown as what it is', () => {
    const path = pathOf(
      `
      ann 1    | forward@50+20
      cpu 1    | cudaLaunchKernel#1@0+5 cudaLaunchKernel#2@55+5
      gpu 0.7  | a#1@8+92 b#2@102+10`,
      annotationWindow('forward'),
    );
    expect(kindsOf(path)).toEqual(['50..100 kernel a#1', '100..102 stream-gap b#2', '102..112 kernel b#2']);
  });

  test('a first step into which earlier work runs is incomplete and left out', () => {
    const drawing = `
      ann 1    | ProfilerStep#1@10+100 ProfilerStep#2@110+100
      cpu 1    | cudaLaunchKernel#9@0+5 cudaLaunchKernel#1@15+5 cudaLaunchKernel#2@115+5
      gpu 0.7  | z#9@8+22 a#1@32+118 b#2@152+98`;
    expect(windowsOf(pathOf(drawing))).toEqual(['ProfilerStep#2 150..250 complete']);
    expect(windowsOf(pathOf(drawing, stepWindow(1)))).toEqual(['ProfilerStep#1 10..150 incomplete']);
  });

  test('a step without device work among steps with some is incomplete', () => {
    const drawing = `
      ann 1    | ProfilerStep#1@0+100 ProfilerStep#2@100+100 ProfilerStep#3@200+50
      cpu 1    | cudaLaunchKernel#1@5+5 cudaLaunchKernel#2@105+5 last@205+30
      gpu 0.7  | a#1@12+138 b#2@152+98`;
    expect(windowsOf(pathOf(drawing))).toEqual(['ProfilerStep#1 0..150 complete', 'ProfilerStep#2 150..250 complete']);
  });

  test('where no step is complete all are taken, with a note', () => {
    const path = pathOf(`
      ann 1    | ProfilerStep#1@10+100
      cpu 1    | cudaLaunchKernel#9@0+5 cudaLaunchKernel#1@15+5
      gpu 0.7  | z#9@8+22 a#1@32+118`);
    expect(windowsOf(path)).toEqual(['ProfilerStep#1 10..150 incomplete']);
    expect(path.notes.join('\n')).toMatch(/complete/);
  });

  test('a step whose work was done within the one before has length 0', () => {
    const drawing = `
      ann 1    | ProfilerStep#1@0+100 ProfilerStep#2@100+20 ProfilerStep#3@120+100
      cpu 1    | cudaLaunchKernel#1@5+5 cudaLaunchKernel#2@105+5 cudaLaunchKernel#3@125+5
      gpu 0.7  | a#1@12+188 c#3@202+98
      gpu 0.20 | b#2@112+10`;
    const path = pathOf(drawing);
    expect(windowsOf(path)).toEqual([
      'ProfilerStep#1 0..200 complete',
      'ProfilerStep#2 200..200 complete',
      'ProfilerStep#3 200..300 complete',
    ]);
    expect(brokenPath(path)).toEqual([]);
    expect(pathOf(drawing, stepWindow(2)).window.wallNs).toBe(0);
  });

  test('more than a millisecond between two steps is a window of its own', () => {
    const path = pathOf(`
      ann 1    | ProfilerStep#1@0+100 ProfilerStep#2@2000+100
      cpu 1    | a@0+90 eval@200+1700 b@2000+90`);
    expect(windowsOf(path).map((window) => window.replace(/ (in)?complete/, ''))).toEqual([
      'ProfilerStep#1 0..100',
      'between 100..2000',
      'ProfilerStep#2 2000..2100',
    ]);
    expect(brokenPath(path)).toEqual([]);
  });

  test('several steps are asked for by their numbers', () => {
    const path = pathOf(
      `
      ann 1    | ProfilerStep#1@0+100 ProfilerStep#2@100+100 ProfilerStep#3@200+100
      cpu 1    | a@0+90 b@100+90 c@200+90`,
      stepWindow(2, 3),
    );
    expect(windowsOf(path)).toEqual(['ProfilerStep#2 100..200 complete', 'ProfilerStep#3 200..300 complete']);
    expect(path.window).toMatchObject({ startNs: 100_000, endNs: 300_000 });
  });

  test('a step that is not in the trace is not applicable', () => {
    expect(() => pathOf(STEPS, stepWindow(7))).toThrow(/not applicable/);
  });

  test('a range begins and ends where it says, inside ops', () => {
    const drawing = `
      cpu 1    | mm@0+40 cudaLaunchKernel#1@5+10 relu@50+150
      gpu 0.7  | gemm#1@17+33`;
    const host = pathOf(drawing, rangeWindow(60, 120));
    expect(kindsOf(host)).toEqual(['60..120 host-work']);
    const path = pathOf(drawing, rangeWindow(10, 45));
    expect(path.path.totalNs).toBe(35_000);
    expect(brokenPath(path)).toEqual([]);
  });

  test('a range that ends on the host begins its path there', () => {
    const path = pathOf(
      `
      cpu 1    | cudaLaunchKernel#1@0+5 relu@30+150
      gpu 0.7  | a#1@8+42`,
      rangeWindow(2, 100),
    );
    expect(kindsOf(path)).toEqual(['2..5 host-work', '5..30 host-gap', '30..100 host-work']);
  });

  test('a range that ends while the device runs begins its path there', () => {
    const path = pathOf(
      `
      cpu 1    | cudaLaunchKernel#1@0+5 cudaDeviceSynchronize#2@6+100
      gpu 0.7  | a#1@8+95
      sync 0   | ContextSync#2`,
      rangeWindow(2, 60),
    );
    expect(kindsOf(path)).toEqual(['2..5 host-work', '5..8 launch a#1', '8..60 kernel a#1']);
  });

  test('the main thread is the one with the most launches; others end where they will', () => {
    const path = pathOf(`
      cpu 1    | cudaLaunchKernel#1@0+5 mm@6+30
      cpu 2    | busy@0+500
      gpu 0.7  | a#1@8+12`);
    expect(path.window).toMatchObject({ startNs: 0, endNs: 36_000, hostEndNs: 36_000, deviceEndNs: 20_000 });
  });

  test('the default window of a trace without steps is the whole trace', () => {
    const path = pathOf(
      `
      cpu 1    | a@0+10 cudaLaunchKernel#1@12+5
      gpu 0.7  | k#1@20+30
      gpu 0.20 | unlaunched@60+10`,
      DEFAULT_WINDOW,
    );
    expect(path.window).toMatchObject({ startNs: 0, endNs: 70_000 });
  });
});
