/** The file that `report --html` writes, opened from the disk without a network. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { EXAMPLE, findBrowser, launch, openPage, shoot, tryNetwork, watchRequests } from '../../test-kit/browser.ts';
import type { Job } from '../../sim/program.ts';
import { dataParallel } from '../../sim/programs/data-parallel.ts';
import { jsonOf } from '../../test-kit/draw.ts';
import { writeJobFolder } from '../../test-kit/job-folder.ts';
import { runBuilt } from '../../test-kit/run-built.ts';

const hasBrowser = findBrowser();
const folder = mkdtempSync(join(tmpdir(), 'longpole-report-page-'));
const LONG_POLE = 'ncclDevKernel_AllReduce_Sum_bf16_RING_LL';
const HOSTILE = '<img src=x onerror=alert(1)><script>alert(2)</script>\u202etxt.exe\u0007';
const IMAGE = '<img src=x onerror=alert(1)>';
const HOSTILE_SHOWN = HOSTILE.replace('\u202e', '\\u202e').replace('\u0007', '\\x07');

let browser: Browser;
const problems: string[] = [];
let example: string;
beforeAll(async () => {
  if (!hasBrowser) return;
  browser = await launch();
  ({ file: example } = await write(EXAMPLE, 'example.html'));
});
afterAll(async () => {
  if (hasBrowser) await browser.close();
  rmSync(folder, { recursive: true, force: true });
});
afterEach(() => expect(problems.splice(0)).toEqual([]));

/** Writes the page of a trace; what the program says of it. */
async function write(trace: string, name: string, ...flags: string[]): Promise<{ file: string; said: string }> {
  const file = join(folder, name);
  const { stderr } = await runBuilt(folder, [trace, '--html', file, ...flags]);
  return { file, said: stderr };
}

async function open(file: string, hash = ''): Promise<Page> {
  const page = await openPage(browser, problems, { offline: true });
  await page.goto(pathToFileURL(file).href + hash);
  return page;
}

const heading = (page: Page) => expect.poll(() => page.locator('.why h2').textContent());

describe.skipIf(!hasBrowser)('the file of report --html', () => {
  test('shows the timeline, says why, and has the report as a view; it asks for nothing', async () => {
    expect(statSync(example).size).toBeLessThan(3e6);
    const page = await open(example);
    const asked = watchRequests(page);
    await expect.poll(() => page.locator('.verdict').textContent()).toContain(`all of it ${LONG_POLE}`);
    await page.locator('aside').getByText(LONG_POLE).first().click();
    await heading(page).toBe(LONG_POLE);
    await expect.poll(() => page.locator('.why').textContent()).toContain('Why it began then');
    await expect.poll(() => page.locator('.why .args').textContent()).toContain('External id');
    await expect.poll(() => page.locator('aside').textContent()).toContain('This file holds all 1,911 events');
    await shoot(page, 'report-timeline');
    await page.getByRole('button', { name: 'Report', exact: true }).click();
    await expect.poll(() => page.locator('figure svg').count()).toBeGreaterThan(2);
    await shoot(page, 'report-document');
    await page.getByRole('button', { name: 'Timeline', exact: true }).click();
    await heading(page).toBe(LONG_POLE);
    expect(asked).toEqual([]);
    await page.context().close();
  });

  test('opens at the report where the address names a part of it', async () => {
    const page = await open(example, '#kernels');
    await expect.poll(() => page.locator('h2#kernels').isVisible()).toBe(true);
    expect(await page.locator('canvas').count()).toBe(0);
    await page.context().close();
  });

  test('reads a trace that is opened on it', async () => {
    const page = await open(example);
    await page.locator('input[type=file]').setInputFiles(EXAMPLE);
    await expect.poll(() => page.title(), { timeout: 10_000 }).toBe('three-steps.json.gz – longpole');
    await expect.poll(() => page.locator('aside').textContent()).not.toContain('This file holds');
    await page.context().close();
  });

  test('merges short events where there is no room for them, and says so', async () => {
    const { said } = await write(EXAMPLE, 'tiny.html', '--max-size', '1KB');
    const [, least = ''] = /--max-size is too small for the page, which takes ([\d.]+) KiB at least/.exec(said) ?? [];
    const { file } = await write(EXAMPLE, 'small.html', '--max-size', `${Number(least) + 5}KiB`);
    expect(statSync(file).size).toBeLessThan((Number(least) + 5) * 1024);
    const page = await open(file);
    await expect
      .poll(() => page.locator('aside').textContent())
      .toMatch(/This file does not hold every event: of 1,911, [\d,]+ that take less than .* are merged/);
    await page.locator('#search').fill('kind:op');
    await page.locator('#search').press('Enter');
    await shoot(page, 'report-merged');
    await page.context().close();
  });

  test('of a job it has the waits as colours, in both schemes; a hostile group is a text in them', async () => {
    const made = dataParallel({ ranks: 3, layers: 2, straggler: { rank: 1, kind: 'device', factor: 1.5 } });
    // The group's name, where it is told and where it is used.
    const named = JSON.stringify(made)
      .replaceAll('"group":"0"', `"group":"${IMAGE}"`)
      .replaceAll('"name":"0"', `"name":"${IMAGE}"`);
    await writeJobFolder(join(folder, 'job'), JSON.parse(named) as Job);
    const { file } = await write(join(folder, 'job'), 'job.html');
    const seen: string[][] = [];
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await openPage(browser, problems, { offline: true, colorScheme });
      await page.goto(pathToFileURL(file).href);
      const picture = page.locator('figure.heat svg[role=img]');
      expect(await picture.getAttribute('aria-label')).toMatch(/^Heat map of 3 ranks and \d+ calls: the longest wait/);
      const titles = await picture.locator('.cells title').allTextContents();
      expect(titles[0]).toMatch(/^rank 0, call 1, all-reduce in .* at [\d.]+ [mµ]s: waited [\d.]+ [mµ]s$/);
      expect(titles[0]).toContain(IMAGE);
      expect(await page.locator('main img').count()).toBe(0);
      seen.push(
        await page.evaluate<string[]>(
          `Array.from(document.querySelectorAll('.heat .legend rect'), (each) => getComputedStyle(each).fill)`,
        ),
      );
      await page.locator('figure.heat').scrollIntoViewIfNeeded();
      await shoot(page, `report-heat-${colorScheme}`);
      await page.context().close();
    }
    // Each class has a colour of its own, and each scheme others.
    expect(seen.map((colours) => new Set(colours).size)).toEqual([7, 7]);
    expect(seen[0]).not.toEqual(seen[1]);
  });

  test('texts of a hostile trace are texts in both views, and nothing can be sent anywhere', async () => {
    const trace = join(folder, 'hostile.json');
    const drawn = jsonOf(
      'ann 1 | ProfilerStep#1@0+60\ncpu 1 | aten_evil@2+40 cudaLaunchKernel#1@4+5\ngpu 0.7 | gemm#1@15+30',
    );
    writeFileSync(
      trace,
      drawn
        .replaceAll('aten_evil', JSON.stringify(HOSTILE).slice(1, -1))
        .replaceAll('gemm', `javascript:alert(3)//</script><!--${'x'.repeat(1_000_000)}`),
    );
    const { file } = await write(trace, 'hostile.html');
    const page = await open(file);
    const asked = watchRequests(page);
    await page.locator('#search').fill('img');
    await page.locator('#search').press('Enter');
    await heading(page).toBe(HOSTILE_SHOWN);
    expect(await page.locator('#page img, #page script, a[href^="javascript"]').count()).toBe(0);
    await page.getByRole('button', { name: 'Report', exact: true }).click();
    await expect.poll(() => page.locator('main').textContent()).toContain('javascript:alert');
    expect(await page.locator('main img, main script, a[href^="javascript"]').count()).toBe(0);
    expect(problems.splice(0)).toEqual([]);

    // Even its own script could not.
    expect(await tryNetwork(page)).toEqual({
      stopped: ['connect-src', 'connect-src', 'connect-src', 'frame-src', 'img-src', 'script-src-elem'],
      asked: [],
    });
    problems.splice(0);
    expect(asked).toEqual([]);
    await page.context().close();
  });
});
