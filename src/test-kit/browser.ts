/** The built page in a real browser: headless chromium, and `longpole serve` as a process. `npm test` builds it first. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, type Page, chromium } from 'playwright-core';
import { BIN } from './run-built.ts';

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

/** Collects what a page asks of others; what its policy stops was never asked. */
export function watchRequests(page: Page): string[] {
  const asked: string[] = [];
  page.on('request', (request) => {
    if (!/^(file|blob|data):/.test(request.url())) asked.push(request.url());
  });
  page.on('requestfailed', (request) => {
    if (request.failure()?.errorText === 'csp') asked.splice(asked.indexOf(request.url()), 1);
  });
  return asked;
}

/** Tries all ways out of a page: which directives of its policy stopped one, and what was asked all the same. */
export async function tryNetwork(page: Page): Promise<{ stopped: string[]; asked: string[] }> {
  const asked = watchRequests(page);
  const stopped = await page.evaluate<string[]>(`(async () => {
    const stopped = [];
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => stopped.push(effectiveDirective));
    await fetch('https://example.org/').catch(() => undefined);
    new Image().src = 'https://example.org/x.png';
    try { new WebSocket('wss://example.org/'); } catch {}
    navigator.sendBeacon('https://example.org/');
    const script = document.createElement('script');
    script.src = 'https://example.org/x.js';
    document.head.append(script);
    const frame = document.createElement('iframe');
    frame.src = 'https://example.org/';
    document.body.append(frame);
    for (let i = 0; i < 100 && stopped.length < 6; i++) await new Promise((resolve) => setTimeout(resolve, 20));
    return stopped.sort();
  })()`);
  return { stopped, asked };
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
