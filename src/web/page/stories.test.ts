/** What else one does on the page, in a real browser: one story a test. `npm test` builds it first. */
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { seeds } from '../../test-kit/seeds.ts';
import { EXAMPLE, type Served, findBrowser, launch, openPage, serve, shoot, stop } from '../../test-kit/browser.ts';

const hasBrowser = findBrowser();
const LONG_POLE = 'ncclDevKernel_AllReduce_Sum_bf16_RING_LL';
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

const folder = mkdtempSync(join(tmpdir(), 'longpole-stories-'));
const trace = join(folder, 'job.json.gz');
const problems: string[] = [];
let browser: Browser;
let server: Served;

beforeAll(async () => {
  if (!hasBrowser) return;
  copyFileSync(EXAMPLE, trace);
  browser = await launch();
  server = await serve(trace);
});
afterAll(async () => {
  if (hasBrowser) {
    await browser.close();
    await stop(server);
  }
  rmSync(folder, { recursive: true, force: true });
});
/** No word of complaint from the browser: no error, and nothing that the policy had to stop. */
afterEach(() => expect(problems.splice(0)).toEqual([]));

async function open(hash = '', colorScheme: 'light' | 'dark' = 'light'): Promise<Page> {
  const page = await openPage(browser, problems, { colorScheme });
  await page.goto(server.url + hash);
  await page.locator('.verdict').waitFor();
  return page;
}

const heading = (page: Page) => page.locator('.why h2');
const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const laneNames = (page: Page): Promise<string[]> => page.locator('.lane-name .fold').allTextContents();

/** Chooses from the menu, and reads the file that comes of it. */
async function saved(page: Page, act: () => Promise<unknown>): Promise<{ name: string; text: string }> {
  const [file] = await Promise.all([page.waitForEvent('download'), act()]);
  return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') };
}
const choose = (page: Page, what: string) => (): Promise<unknown> =>
  page.getByLabel('Save or share what is in view').selectOption(what);

describe.skipIf(!hasBrowser)('on the page', () => {
  test('lanes are filtered, pinned, moved and folded by the keyboard, and a link keeps it', async () => {
    const page = await open();
    await page.locator('canvas').focus();
    await page.keyboard.press('l');
    await page.keyboard.type('stream, host, -sync, -on device');
    await expect
      .poll(() => laneNames(page))
      .toEqual([
        '▾ Device 0, stream 7',
        '▾ Device 0, stream 20',
        '▾ Host 4000 (python)',
        '▾ Host 4100 (pt_autograd_0)',
      ]);
    const host = page.getByRole('button', { name: 'Host 4000 (python)', exact: true });
    await host.focus();
    await page.keyboard.press('Alt+ArrowUp');
    await page.keyboard.press('Alt+ArrowUp');
    const autograd = page.getByRole('button', { name: 'Host 4100 (pt_autograd_0)', exact: true });
    await autograd.focus();
    await page.keyboard.press('Alt+p');
    await autograd.focus();
    await page.keyboard.press('Enter');
    const wanted = [
      '▸ Host 4100 (pt_autograd_0)',
      '▾ Host 4000 (python)',
      '▾ Device 0, stream 7',
      '▾ Device 0, stream 20',
    ];
    await expect.poll(() => laneNames(page)).toEqual(wanted);
    await shoot(page, 'lanes');
    await expect.poll(() => page.url()).toContain('pin=t-');
    const again = await page.context().newPage();
    await again.goto(page.url());
    await expect.poll(() => laneNames(again)).toEqual(wanted);
    await again.locator('#lane-filter').fill('no such lane');
    await expect.poll(() => laneNames(again)).toEqual(['▸ Host 4100 (pt_autograd_0)']);
    await page.context().close();
  });

  test('an area is drawn with Shift, summed, zoomed to and saved', async () => {
    const page = await open();
    const lane = await page.getByRole('button', { name: 'Device 0, stream 20', exact: true }).boundingBox();
    const canvas = await page.locator('canvas').boundingBox();
    if (lane === null || canvas === null) throw new Error('there is no lane');
    await page.keyboard.down('Shift');
    await page.mouse.move(canvas.x + 40, lane.y + 30);
    await page.mouse.down();
    await page.mouse.move(canvas.x + canvas.width * 0.6, lane.y + 30, { steps: 4 });
    await page.mouse.up();
    await page.keyboard.up('Shift');
    const names = region(page, 'Sums by name');
    await expect.poll(() => names.locator('tbody tr').count()).toBe(1);
    expect(await names.locator('tbody').textContent()).toMatch(
      new RegExp(`^${LONG_POLE}collective\\d+\\d+\\.\\d+ ms\\d+\\.\\d %$`),
    );
    expect(await region(page, 'Sums by lane').locator('tbody th').allTextContents()).toEqual(['Device 0, stream 20']);
    await shoot(page, 'area');
    await expect.poll(() => page.url()).toMatch(/area=\d+\.\.\d+&in=s-0\.20/);
    const before = page.url();
    await page.locator('canvas').focus();
    await page.keyboard.press('z');
    await expect.poll(() => page.url()).not.toBe(before);
    const csv = await saved(page, () => names.getByRole('button', { name: 'Save as CSV' }).click());
    expect(csv.name).toBe('job-area-names.csv');
    expect(csv.text).toMatch(
      /^name,kind,events,time \(ns\),of the span\r\nncclDev[^,]*,collective,\d+,\d+,0\.\d+\r\n$/,
    );
    await page.context().close();
  });

  test('two fingers zoom', async () => {
    const page = await open();
    const canvas = await page.locator('canvas').boundingBox();
    if (canvas === null) throw new Error('there is no canvas');
    const spanOf = (): number => {
      const [, from, to] = /t=(-?\d+)\.\.(-?\d+)/.exec(page.url()) ?? [];
      return Number(to) - Number(from);
    };
    await expect.poll(spanOf).toBeGreaterThan(0);
    const before = spanOf();
    const session = await page.context().newCDPSession(page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', apart: number): Promise<unknown> => {
      const [x, y] = [canvas.x + canvas.width / 2, canvas.y + 200];
      const touchPoints =
        apart === 0
          ? []
          : [
              { x: x - apart / 2, y, id: 1 },
              { x: x + apart / 2, y, id: 2 },
            ];
      return session.send('Input.dispatchTouchEvent', { type, touchPoints });
    };
    await touch('touchStart', 100);
    for (const apart of [140, 180, 200]) await touch('touchMove', apart);
    await touch('touchEnd', 0);
    await expect.poll(() => Math.round((before / spanOf()) * 10) / 10).toBe(2);
    await page.context().close();
  });

  test('lists lead to events, and a selection to its rows', async () => {
    const page = await open('#panel=kernels');
    const kernels = region(page, 'Kernels');
    await kernels.getByRole('link', { name: LONG_POLE }).click();
    await expect.poll(() => heading(page).textContent()).toBe(LONG_POLE);
    await expect.poll(() => kernels.locator('tr.selected th').allTextContents()).toEqual([LONG_POLE]);
    await kernels.locator('tr.selected').getByRole('button', { name: 'all' }).click();
    await expect.poll(() => page.locator('#hits').textContent()).toMatch(/of 18$/);

    await page.getByRole('tab', { name: 'Idle gaps' }).click();
    const gaps = region(page, 'Idle gaps');
    await gaps.locator('tbody tr').first().getByRole('button').click();
    await expect.poll(() => gaps.locator('tr.selected').count()).toBeGreaterThan(0);
    await expect.poll(() => page.url()).toMatch(/area=.*panel=idle/);
    await shoot(page, 'idle');

    await page.getByRole('tab', { name: 'Steps' }).click();
    await expect.poll(() => page.locator('.charts svg.chart').count()).toBe(2);
    await region(page, 'Steps').getByRole('button', { name: 'ProfilerStep#1' }).click();
    await expect.poll(() => region(page, 'Steps').locator('tr.selected').textContent()).toContain('ProfilerStep#1');
    await shoot(page, 'steps');

    await page.getByRole('tab', { name: 'Data health' }).click();
    await expect
      .poll(() => region(page, 'Data health').textContent())
      .toMatch(/None: each row could be read.*launches with their device op/);
    await shoot(page, 'health');
    await page.context().close();
  });

  test('a note lies beside the trace, and is there again', async () => {
    const page = await open();
    await page.locator('aside').getByText(LONG_POLE).first().click();
    await page.locator('canvas').focus();
    await page.keyboard.press('7');
    await page.getByLabel(`A note on ${LONG_POLE}`).fill('<b>too long</b>');
    await page.keyboard.press('Control+Enter');
    const notes = region(page, 'Notes');
    await expect.poll(() => notes.textContent()).toContain('Kept beside the trace, in job.json.gz.longpole-notes.json');
    expect(await notes.locator('li').textContent()).toContain('<b>too long</b>');
    await shoot(page, 'notes');
    await expect.poll(() => existsSync(`${trace}.longpole-notes.json`)).toBe(true);
    const again = await page.context().newPage();
    await again.goto(page.url());
    const there = region(again, 'Notes');
    await expect.poll(() => there.locator('li').count()).toBe(1);
    await there.locator('li a').click();
    await expect.poll(() => heading(again).textContent()).toBe(LONG_POLE);
    await there.getByRole('button', { name: 'Remove note 1' }).click();
    await expect.poll(() => readFileSync(`${trace}.longpole-notes.json`, 'utf8')).toContain('"notes": []');
    await page.context().close();
  });

  test('the view is saved as a picture and as a trace', async () => {
    const page = await open();
    const svg = await saved(page, choose(page, 'svg'));
    expect(svg.name).toBe('job-view.svg');
    expect(svg.text).toMatch(/^<svg xmlns.*<title>job\.json\.gz: .* ns to .* ns/s);
    expect(svg.text).toContain('>Device 0, stream 7</text>');
    const png = await saved(page, choose(page, 'png'));
    expect(png.text).toMatch(/^.PNG/);
    const overlay = await saved(page, choose(page, 'overlay'));
    const { traceEvents } = JSON.parse(overlay.text) as { traceEvents: { name: string }[] };
    expect(traceEvents.filter(({ name }) => name === LONG_POLE).length).toBeGreaterThan(18);
    await page.context().close();
  });

  test('Perfetto gets the view only after one agreed that it leaves the machine', async () => {
    const page = await open();
    const asked: string[] = [];
    const fake = `<script>addEventListener('message', ({ data, source, origin }) => {
      if (data === 'PING') source.postMessage('PONG', origin);
      else document.title = data.perfetto.title + ' ' + new TextDecoder().decode(data.perfetto.buffer).includes('${LONG_POLE}');
    })</script>`;
    await page.context().route('https://ui.perfetto.dev/**', (route) => {
      asked.push(route.request().url());
      return route.fulfill({ contentType: 'text/html', body: fake });
    });
    await page.getByLabel('Save or share what is in view').selectOption('perfetto');
    const dialog = page.getByRole('dialog', { name: 'Open in Perfetto' });
    expect(await dialog.textContent()).toMatch(/is on the internet.*\d+ events/);
    await shoot(page, 'perfetto');
    await page.keyboard.press('Escape');
    await expect.poll(() => dialog.count()).toBe(0);
    expect(asked).toEqual([]);
    await page.getByLabel('Save or share what is in view').selectOption('perfetto');
    const [popup] = await Promise.all([
      page.waitForEvent('popup'),
      dialog.getByRole('button', { name: 'Open it there' }).click(),
    ]);
    await expect.poll(() => popup.title()).toBe('job.json.gz (longpole) true');
    await expect.poll(() => dialog.count()).toBe(0);
    await page.context().close();
  });

  test('axe finds no serious fault: on the page, in each list, in the dark', async () => {
    const page = await open();
    await page.evaluate(readFileSync(AXE, 'utf8'));
    // Rows of a list are of one make: the first of each stand for all, but in the full run.
    const exclude = `tr:nth-child(n + ${seeds(20, 1_000)})`;
    const faults = async (within: string): Promise<string[]> => {
      const { violations } = await page.evaluate<{
        violations: { id: string; impact: string; nodes: { html: string }[] }[];
      }>(`axe.run(${JSON.stringify({ include: [within], exclude })}, { resultTypes: ['violations'] })`);
      return violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
    };
    await page.locator('aside').getByText(LONG_POLE).first().click();
    await expect.poll(() => page.locator('.why').textContent()).toContain('Why it began then');
    await page.getByRole('button', { name: 'Sum area (R)' }).click();
    expect(await faults('body')).toEqual([]);
    for (const panel of ['Events in view', 'Steps', 'Idle gaps', 'Kernels', 'Data health', 'Notes']) {
      await page.getByRole('tab', { name: panel }).click();
      await expect.poll(() => page.locator('#panel .loading').count()).toBe(0);
      expect(await faults('.dock')).toEqual([]);
    }
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await faults('body')).toEqual([]);
    await page.getByRole('button', { name: 'Keys (?)' }).click();
    await page.getByRole('dialog').waitFor();
    expect(await faults('dialog')).toEqual([]);
    await page.context().close();
  });
});
