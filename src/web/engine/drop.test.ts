/** A trace that is dropped on the page: read and analysed in the browser. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Served, EXAMPLE, findBrowser, launch, openPage, serve, shoot, stop } from '../../test-kit/browser.ts';
import { jsonOf } from '../../test-kit/draw.ts';

const hasBrowser = findBrowser();
const folder = mkdtempSync(join(tmpdir(), 'longpole-drop-'));
const SERVED = join(folder, 'served.json');
writeFileSync(SERVED, jsonOf('cpu 1 | mm@2+8 cudaLaunchKernel#1@4+5\ngpu 0.7 | gemm#1@15+30'));
const LONG_POLE = 'ncclDevKernel_AllReduce_Sum_bf16_RING_LL';

let browser: Browser;
let server: Served;
const problems: string[] = [];
beforeAll(async () => {
  if (!hasBrowser) return;
  [browser, server] = await Promise.all([launch(), serve(SERVED)]);
});
afterAll(async () => {
  if (hasBrowser) {
    await browser.close();
    expect(await stop(server)).toBe(130);
  }
  rmSync(folder, { recursive: true, force: true });
});
afterEach(() => expect(problems.splice(0)).toEqual([]));

async function openServed(): Promise<{ readonly page: Page; readonly asked: string[] }> {
  const page = await openPage(browser, problems);
  await page.goto(server.url);
  await page.locator('.verdict').waitFor();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  return { page, asked };
}

/** Lets go of a file over the page. */
async function drop(page: Page, path: string, name: string): Promise<void> {
  const bytes = readFileSync(path).toString('base64');
  const transfer = await page.evaluateHandle<never>(`(() => {
    const transfer = new DataTransfer();
    const bytes = Uint8Array.from(atob(${JSON.stringify(bytes)}), (char) => char.charCodeAt(0));
    transfer.items.add(new File([bytes], ${JSON.stringify(name)}));
    return transfer;
  })()`);
  await page.dispatchEvent('body', 'drop', { dataTransfer: transfer });
}

const choose = (page: Page, path: string): Promise<void> => page.locator('input[type=file]').setInputFiles(path);
const title = (page: Page) => expect.poll(() => page.title(), { timeout: 10_000 });
const why = (page: Page) => page.locator('.why');

async function showLongPole(page: Page): Promise<void> {
  await page.locator('aside').getByText(LONG_POLE).first().click();
  await expect.poll(() => why(page).locator('h2').textContent()).toBe(LONG_POLE);
}

describe.skipIf(!hasBrowser)('a file that is dropped', () => {
  test('is analysed in the page, args and all, and nothing is asked of anybody but the worker', async () => {
    const { page, asked } = await openServed();
    await drop(page, EXAMPLE, 'mine.json.gz');
    await title(page).toBe('mine.json.gz – longpole');
    await expect.poll(() => page.locator('.verdict').textContent()).toContain(`all of it ${LONG_POLE}`);
    await showLongPole(page);
    await expect.poll(() => why(page).textContent()).toContain('Why it began then');
    await expect.poll(() => why(page).locator('.args').textContent()).toContain('External id');
    await shoot(page, 'dropped');
    expect(asked.filter((url) => !/\/(engine\.js|icon\.svg)$/.test(url))).toEqual([]);
    await page.context().close();
  });

  test('may be plain: an event’s args are read again at its place', async () => {
    const plain = join(folder, 'plain.json');
    writeFileSync(plain, gunzipSync(readFileSync(EXAMPLE)));
    const { page } = await openServed();
    await choose(page, plain);
    await title(page).toBe('plain.json – longpole');
    await showLongPole(page);
    await expect.poll(() => why(page).locator('.args').textContent()).toContain('External id');
    await page.context().close();
  });

  test('may be zstd, whole or cut', async () => {
    const zstd = fileURLToPath(new URL('../../../fixtures/damage/a16-zstd-named.json', import.meta.url));
    const cut = fileURLToPath(new URL('../../../fixtures/damage/truncated.json.zst', import.meta.url));
    const { page } = await openServed();
    await choose(page, zstd);
    await title(page).toBe('a16-zstd-named.json – longpole');
    await choose(page, cut);
    await title(page).toBe('truncated.json.zst – longpole');
    await expect.poll(() => page.locator('aside').textContent()).toContain('truncated-compression');
    await page.context().close();
  });

  test('has notes that are downloaded, and loaded again', async () => {
    const { page } = await openServed();
    await drop(page, EXAMPLE, 'mine.json.gz');
    await title(page).toBe('mine.json.gz – longpole');
    await page.getByRole('tab', { name: 'Notes' }).click();
    const notes = page.getByRole('region', { name: 'Notes' });
    await expect.poll(() => notes.textContent()).toContain('Kept in this page only (no server runs');
    await notes.getByRole('textbox').fill('look here');
    await notes.getByRole('textbox').press('Control+Enter');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      notes.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('mine.json.gz.longpole-notes.json');
    const kept = join(folder, 'kept.json');
    await download.saveAs(kept);
    await notes.getByRole('button', { name: 'Remove note 1' }).click();
    const load = notes.getByLabel('Load…');
    await load.setInputFiles(kept);
    await expect.poll(() => notes.locator('li').count()).toBe(1);
    expect(await notes.locator('li').textContent()).toContain('look here');
    await load.setInputFiles(EXAMPLE);
    await expect.poll(() => notes.getByRole('alert').textContent()).toContain('is no file of notes');
    expect(await notes.locator('li').count()).toBe(1);
    await page.context().close();
  });

  test('that is no trace is told, and what was shown stays', async () => {
    const other = join(folder, 'other.txt');
    writeFileSync(other, 'no trace');
    const { page } = await openServed();
    await choose(page, other);
    await expect.poll(() => page.getByRole('alertdialog').textContent()).toMatch(/^other\.txt cannot be shown: /);
    await shoot(page, 'refused');
    await page.getByRole('button', { name: 'Close' }).click();
    expect(await page.title()).toBe('served.json – longpole');
    await page.context().close();
  });
});
