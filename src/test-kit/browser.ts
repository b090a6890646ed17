/** The built page in a real browser: headless chromium, and `longpole serve` as a process. `npm test` builds it first. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, type Page, chromium } from 'playwright-core';

export const BIN = fileURLToPath(new URL('../../bin/longpole.js', import.meta.url));
export const EXAMPLE = fileURLToPath(new URL('../../examples/three-steps.json.gz', import.meta.url));
const CHROMIUM = process.env['LONGPOLE_CHROMIUM'] ?? '/usr/bin/chromium';
/** Where pictures of what was seen are put, if anywhere. */
const SHOTS = process.env['LONGPOLE_SHOTS'];

/** Whether there is a browser; without one its tests are skipped, with a line that says so, and fail under CI. */
export function findBrowser(): boolean {
  if (existsSync(CHROMIUM)) return true;
  const reason = `needs ${CHROMIUM} (apt-get install chromium), or LONGPOLE_CHROMIUM`;
  if (process.env['CI'] === 'true') throw new Error(reason);
  process.stderr.write(`skipped: the page's tests: ${reason}\n`);
  return false;
}

export const launch = (args: readonly string[] = []): Promise<Browser> =>
  chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', ...args] });

/** A page that keeps what the browser complains of: errors, what its policy stopped, and what asked elsewhere. */
export async function openPage(
  browser: Browser,
  problems: string[],
  { offline = false, colorScheme = 'light' as 'light' | 'dark' } = {},
): Promise<Page> {
  const context: BrowserContext = await browser.newContext({
    viewport: { width: 1400, height: 860 },
    offline,
    colorScheme,
  });
  const page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('dialog', (dialog) => problems.push(`a dialog: ${dialog.message()}`));
  return page;
}

export async function shoot(page: Page, name: string): Promise<void> {
  if (SHOTS === undefined) return;
  mkdirSync(SHOTS, { recursive: true });
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(SHOTS, `${name}.png`) });
}

export interface Served {
  readonly url: string;
  readonly process: ChildProcess;
}

/** `longpole serve` until it is stopped. Rejects with what it says where it ends by itself. */
export async function serve(...args: string[]): Promise<Served> {
  const child = spawn(process.execPath, [BIN, 'serve', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
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

/** Ends it as Ctrl-C does; its exit code. */
export function stop({ process: child }: Served): Promise<number | null> {
  return new Promise((resolve) => {
    child.on('close', resolve);
    child.kill('SIGINT');
  });
}
