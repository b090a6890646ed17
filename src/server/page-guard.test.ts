/** The page of `serve` in a browser: reached through another port, and without a way out. */
import { type AddressInfo, connect, createServer } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { EXAMPLE, type Served, findBrowser, launch, openPage, serve, stop, tryNetwork } from '../test-kit/browser.ts';

const hasBrowser = findBrowser();
const problems: string[] = [];
let browser: Browser;
let server: Served;
beforeAll(async () => {
  if (!hasBrowser) return;
  [browser, server] = await Promise.all([launch(), serve(EXAMPLE)]);
});
afterAll(async () => {
  if (!hasBrowser) return;
  await browser.close();
  expect(await stop(server)).toBe(130);
});
afterEach(() => expect(problems.splice(0)).toEqual([]));

/** Passes bytes on from a port of its own, as `ssh -L` does. */
async function forward(to: number): Promise<{ readonly port: number; close(): Promise<void> }> {
  const forwarder = createServer((from) => {
    const onward = connect(to, '127.0.0.1');
    from.pipe(onward).pipe(from);
    // An end that goes away takes the other one with it.
    from.on('error', () => onward.destroy());
    onward.on('error', () => from.destroy());
  });
  await new Promise<void>((resolve) => forwarder.listen(0, '127.0.0.1', () => resolve()));
  const { port } = forwarder.address() as AddressInfo;
  return { port, close: () => new Promise((resolve) => forwarder.close(() => resolve())) };
}

describe.skipIf(!hasBrowser)('the page of serve', () => {
  test('works through another port, its questions too', async () => {
    const url = new URL(server.url);
    const forwarder = await forward(Number(url.port));
    url.port = String(forwarder.port);
    const page = await openPage(browser, problems);
    await page.goto(url.href);
    await page.locator('.verdict').waitFor();
    await page.locator('#search').fill('kind:collective');
    await page.locator('#search').press('Enter');
    await expect.poll(() => page.locator('.why').textContent()).toContain('Why it began then');
    expect(new URL(page.url()).port).toBe(url.port);
    await page.context().close();
    await forwarder.close();
  });

  test('cannot send anything anywhere', async () => {
    const page = await openPage(browser, problems);
    await page.goto(server.url);
    await page.locator('.verdict').waitFor();
    expect(problems.splice(0)).toEqual([]);
    expect(await tryNetwork(page)).toEqual({
      stopped: ['connect-src', 'connect-src', 'connect-src', 'frame-src', 'img-src', 'script-src-elem'],
      asked: [],
    });
    problems.splice(0);
    await page.context().close();
  });
});
