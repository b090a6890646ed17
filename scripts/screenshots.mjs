// Pictures of the page, to look at one by one: the demo job and what else is named, light and dark, at three zooms.
//   node scripts/screenshots.mjs OUT [TRACE…]      OUT lies outside the repository
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { chromium } from 'playwright-core';
import { ROOT } from './setup.mjs';

const BIN = join(ROOT, 'bin/longpole.js');
const SIZE = { width: 1400, height: 860 };
const SCHEMES = ['light', 'dark'];

/** What is pressed before each picture, and which list is open. */
const ZOOMS = [
  { name: '1-whole', keys: [], hash: '' },
  { name: '2-step', keys: ['.'], hash: '#panel=steps' },
  { name: '3-event', keys: ['p', 'p', 'p', 'f', 's', 's'], hash: '#panel=idle' },
];

const [out, ...traces] = process.argv.slice(2);
if (out === undefined || resolve(out).startsWith(`${ROOT}/`)) {
  process.stderr.write('usage: node scripts/screenshots.mjs OUT [TRACE…], with OUT outside the repository\n');
  process.exit(2);
}

/** The URL of `longpole serve`, and what ends it. */
async function serve(trace) {
  const child = spawn(process.execPath, [BIN, 'serve', trace], { stdio: ['ignore', 'pipe', 'ignore'] });
  const url = await new Promise((done, fail) => {
    child.stdout.once('data', (bytes) => done(bytes.toString().trim()));
    child.once('close', (code) => fail(new Error(`serve ${trace} ended with ${code}`)));
  });
  return { url, stop: () => child.kill('SIGINT') };
}

async function shoot(browser, url, name, colorScheme, { keys, hash, name: zoom }) {
  const context = await browser.newContext({ viewport: SIZE, colorScheme });
  const page = await context.newPage();
  await page.goto(url + hash);
  await page.locator('.verdict').waitFor();
  // Lanes of memory come a little later.
  await page.waitForLoadState('networkidle');
  await page.locator('canvas').focus();
  for (const key of keys) await page.keyboard.press(key);
  await page.waitForFunction(() => document.querySelector('.loading') === null);
  // Without the ring around what has the focus.
  await page.evaluate(() => document.activeElement?.blur());
  // Two frames: what was asked for is drawn.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await page.screenshot({ path: join(out, `${name}-${colorScheme}-${zoom}.png`) });
  await context.close();
}

mkdirSync(out, { recursive: true });
const folder = mkdtempSync(join(tmpdir(), 'longpole-demo-'));
const browser = await chromium.launch({
  executablePath: process.env.LONGPOLE_CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
try {
  const demo = join(folder, 'demo.json.gz');
  spawnSync(process.execPath, [BIN, 'demo', '--out', demo], { stdio: 'ignore' });
  for (const trace of [demo, ...traces]) {
    const { url, stop } = await serve(trace);
    // A token is good for any number of browsers.
    for (const scheme of SCHEMES) {
      for (const zoom of ZOOMS) await shoot(browser, url, basename(trace).replace(/\.json.*$/, ''), scheme, zoom);
    }
    stop();
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
