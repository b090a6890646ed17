/** The page in a real browser, as its users go through it: one story a test. `npm test` builds it first. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, type Page, chromium } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { jsonOf } from '../../test-kit/draw.ts';
import { BIN } from '../../test-kit/run-built.ts';

const EXAMPLE = fileURLToPath(new URL('../../../examples/three-steps.json.gz', import.meta.url));
const CHROMIUM = process.env['LONGPOLE_CHROMIUM'] ?? '/usr/bin/chromium';
/** Where pictures of what was seen are put, if anywhere. */
const SHOTS = process.env['LONGPOLE_SHOTS'];

const hasBrowser = existsSync(CHROMIUM);
if (!hasBrowser) {
  const reason = `needs ${CHROMIUM} (apt-get install chromium), or LONGPOLE_CHROMIUM`;
  if (process.env['CI'] === 'true') throw new Error(reason);
  process.stderr.write(`skipped: the page's tests: ${reason}\n`);
}

interface Server {
  readonly url: string;
  readonly process: ChildProcess;
}

/** All that were started: a test that fails stops none. */
const started: ChildProcess[] = [];

async function serve(...args: string[]): Promise<Server> {
  const child = spawn(process.execPath, [BIN, 'serve', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  started.push(child);
  return new Promise((resolve, reject) => {
    let [stdout, stderr] = ['', ''];
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
      if (stdout.endsWith('\n')) resolve({ url: stdout.trim(), process: child });
    });
    child.on('close', (code) => reject(new Error(`serve ended with ${code}: ${stderr}`)));
  });
}

/** Ends it as Ctrl-C does. */
function stop({ process: child }: Server): Promise<number | null> {
  return new Promise((resolve) => {
    child.on('close', resolve);
    child.kill('SIGINT');
  });
}

let browser: Browser;
let server: Server;
const folder = mkdtempSync(join(tmpdir(), 'longpole-page-'));
const problems: string[] = [];

beforeAll(async () => {
  if (!hasBrowser) return;
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  server = await serve(EXAMPLE);
  if (SHOTS !== undefined) mkdirSync(SHOTS, { recursive: true });
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  if (!hasBrowser) return;
  await browser.close();
  expect(await stop(server)).toBe(130);
  for (const child of started) child.kill('SIGKILL');
});
/** No word of complaint from the browser: no error, and nothing that the policy had to stop. */
afterEach(() => expect(problems.splice(0)).toEqual([]));

async function open(url: string, { colorScheme = 'light' }: { colorScheme?: 'light' | 'dark' } = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1400, height: 860 }, colorScheme });
  const page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== new URL(url).origin) problems.push(`asked ${request.url()}`);
  });
  await page.goto(url);
  await page.locator('.verdict').waitFor();
  return page;
}

async function shoot(page: Page, name: string): Promise<void> {
  if (SHOTS === undefined) return;
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(SHOTS, `${name}.png`) });
}

const heading = (page: Page) => page.locator('.why h2');
const LONG_POLE = 'ncclDevKernel_AllReduce_Sum_bf16_RING_LL';

/** Runs in the page: how many pixels of the canvas have a colour of its style. Reads a copy: the browser complains of a canvas that is read twice. */
const COUNT_PIXELS = `(name) => {
  const canvas = document.querySelector('canvas');
  const hex = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const wanted = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  const copy = document.createElement('canvas');
  [copy.width, copy.height] = [canvas.width, canvas.height];
  const context = copy.getContext('2d', { willReadFrequently: true });
  context.drawImage(canvas, 0, 0);
  const { data } = context.getImageData(0, 0, copy.width, copy.height);
  let found = 0;
  for (let i = 0; i < data.length; i += 4) {
    if (wanted.every((value, at) => data[i + at] === value)) found++;
  }
  return found;
}`;

const pixelsOf = (page: Page, variable: string): Promise<number> =>
  page.evaluate<number>(`(${COUNT_PIXELS})(${JSON.stringify(variable)})`);

describe.skipIf(!hasBrowser)('the page', () => {
  test('the example: see the path, click the long pole, read why, follow it to the cause, open the link again', async () => {
    const page = await open(server.url);
    expect(page.url()).not.toContain('token');
    expect(await page.locator('.verdict').textContent()).toContain(
      `The long pole is collectives, all of it ${LONG_POLE}`,
    );
    await expect.poll(() => pixelsOf(page, '--path')).toBeGreaterThan(2_000);
    await shoot(page, 'example-light');

    // The long pole stands in the overview; from there its event is shown, and clicked on the canvas.
    await page.locator('aside').getByText(LONG_POLE).first().click();
    await expect.poll(() => heading(page).textContent()).toBe(LONG_POLE);
    const link = page.url();
    await page.keyboard.press('Escape');
    await expect.poll(() => heading(page).count()).toBe(0);
    const lane = await page.getByRole('button', { name: 'Device 0, stream 20' }).boundingBox();
    const canvas = await page.locator('canvas').boundingBox();
    if (lane === null || canvas === null) throw new Error('there is no lane');
    await page.mouse.move(canvas.x + canvas.width / 2, lane.y + 28);
    await page.mouse.click(canvas.x + canvas.width / 2, lane.y + 28);
    await expect.poll(() => heading(page).textContent()).toBe(LONG_POLE);

    const why = page.locator('.why');
    await expect.poll(() => why.textContent()).toContain('Why it began then');
    const text = (await why.textContent()) ?? '';
    expect(text).toMatch(/began at[\d,]+ ns/);
    expect(text).toMatch(/on it: .* of collective, bound by stream-(wait|order)/);
    expect(text).toMatch(/would win8\.514 ms if all of this name took half their time/);
    expect(text).toMatch(/slack/);
    await expect.poll(() => why.locator('.args').textContent()).toContain('External id');
    await shoot(page, 'long-pole');

    const before = await heading(page).textContent();
    const cause = why.locator('.chain .source a').first();
    const name = await cause.textContent();
    await cause.click();
    await expect.poll(() => heading(page).textContent()).toBe(name);
    await expect.poll(() => page.url()).not.toBe(link);
    await expect.poll(() => page.url()).toMatch(/#t=-?\d+\.\.\d+&e=\d+/);
    await shoot(page, 'cause');

    const shared = page.url();
    const again = await page.context().newPage();
    await again.goto(shared);
    await expect.poll(() => heading(again).textContent()).toBe(name);
    await expect.poll(() => again.url()).toBe(shared);
    expect(before).toBeTruthy();
    await page.context().close();
  });

  test('with the keyboard alone', async () => {
    const page = await open(server.url);
    await page.locator('canvas').focus();
    await page.keyboard.press('p');
    await expect.poll(() => heading(page).count()).toBe(1);
    const first = await page.locator('#said').textContent();
    expect(first).toMatch(/on the path$/);
    for (let i = 0; i < 4; i++) await page.keyboard.press('p');
    await expect.poll(() => page.locator('#said').textContent()).not.toBe(first);
    await page.keyboard.press('Shift+ArrowRight');
    const url = page.url();
    await page.keyboard.press('w');
    await page.keyboard.press('d');
    await expect.poll(() => page.url()).not.toBe(url);
    await page.keyboard.press('m');
    await expect.poll(() => page.url()).toContain('dim=1');
    await shoot(page, 'dimmed');
    await page.keyboard.press('.');
    await page.keyboard.press('/');
    await page.keyboard.type('kind:collective dur>1ms');
    await expect.poll(() => page.locator('#hits').textContent()).toMatch(/^\d+ hits$/);
    await page.keyboard.press('Enter');
    await expect.poll(() => heading(page).textContent()).toBe(LONG_POLE);
    await expect.poll(() => page.locator('#hits').textContent()).toMatch(/^\d+ of \d+$/);
    await page.keyboard.press('Escape');
    await page.keyboard.press('t');
    const table = page.getByRole('region', { name: 'Events in view' });
    await expect.poll(() => table.locator('tbody tr').count()).toBeGreaterThan(0);
    await page.keyboard.press('?');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(1);
    await shoot(page, 'keys-and-table');
    await page.context().close();
  });

  test('in the dark', async () => {
    const page = await open(server.url, { colorScheme: 'dark' });
    await expect.poll(() => pixelsOf(page, '--path')).toBeGreaterThan(2_000);
    await shoot(page, 'example-dark');
    await page.context().close();
  });

  test('dark by choice, which the address keeps; light again as the system has it', async () => {
    const page = await open(server.url);
    const paper = (): Promise<string> =>
      page.evaluate('getComputedStyle(document.documentElement).getPropertyValue("--paper")');
    const light = await paper();
    const button = page.getByRole('button', { name: 'Dark' });
    await button.click();
    expect(await paper()).not.toBe(light);
    expect(await button.getAttribute('aria-pressed')).toBe('true');
    await expect.poll(() => page.url()).toContain('colours=dark');
    // The frame was drawn before the address followed.
    expect(await pixelsOf(page, '--paper')).toBeGreaterThan(50_000);
    const again = await page.context().newPage();
    await again.goto(page.url());
    await expect.poll(() => again.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(15, 19, 24)');
    await button.click();
    expect(await paper()).toBe(light);
    await expect.poll(() => page.url()).not.toContain('colours');
    await page.context().close();
  });

  test('a stranger is refused', async () => {
    const { origin } = new URL(server.url);
    for (const path of ['/', '/data/timeline', '/?token=guess']) expect((await fetch(origin + path)).status).toBe(401);
  });

  test('texts of a hostile trace are shown as texts', async () => {
    const hostile = '<img src=x onerror=alert(1)><script>alert(2)</script>\u202etxt.exe\u0007';
    const trace = jsonOf(
      'ann 1 | ProfilerStep#1@0+60\ncpu 1 | aten_evil@2+40 cudaLaunchKernel#1@4+5\ngpu 0.7 | gemm#1@15+30',
    )
      .replaceAll('aten_evil', JSON.stringify(hostile).slice(1, -1))
      .replaceAll('gemm', `javascript:alert(3)//${'x'.repeat(1_000_000)}`);
    const file = join(folder, 'hostile.json');
    writeFileSync(file, trace);
    const other = await serve(file);
    const page = await open(other.url);
    page.on('dialog', (dialog) => problems.push(`a dialog: ${dialog.message()}`));
    await page.locator('#search').fill('img');
    await page.locator('#search').press('Enter');
    await expect
      .poll(() => heading(page).textContent())
      .toBe(hostile.replace('\u202e', '\\u202e').replace('\u0007', '\\x07'));
    expect(await page.locator('aside img, aside script').count()).toBe(0);
    await page.locator('#search').fill('kind:kernel');
    await page.locator('#search').press('Enter');
    await expect.poll(() => heading(page).textContent()).toBe('javascript:alert');
    expect(await page.locator('a[href^="javascript"]').count()).toBe(0);
    await expect.poll(() => page.locator('.why').textContent()).toContain('Why it began then');
    await shoot(page, 'hostile');
    await page.context().close();
    expect(await stop(other)).toBe(130);
  });
});
