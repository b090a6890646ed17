// npm run bench -- page [SIZE]: the page of `serve` in headless chromium, of 5M events or another size of bench/kit/inputs.ts. From the
// load's end to the first picture; then panning and zooming through all scales, from animation frame to animation frame, each with its
// drawing and the read-back of one pixel; and the memory of the tab. The browser draws as fast as it can, not at a screen's rate.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type Browser, type Page, chromium } from 'playwright-core';
import { makeInput, SIZES } from './kit/inputs.ts';
import { buildProgram, describeRun, megabytes, printGoal } from './kit/measure.ts';

const CHROMIUM = process.env['LONGPOLE_CHROMIUM'] ?? '/usr/bin/chromium';
const ARGS = ['--no-sandbox', '--disable-frame-rate-limit', '--disable-gpu-vsync', '--enable-unsafe-swiftshader'];
const PATIENCE_MS = 600_000;

/** Runs in the page from its beginning: when the canvas first has something on it. */
const WATCH = `(() => {
  const watch = () => {
    const canvas = document.querySelector('canvas');
    if (canvas !== null && canvas.width > 0 && canvas.height > 0) {
      const { data } = canvas.getContext('2d').getImageData(0, canvas.height >> 3, canvas.width, canvas.height >> 1);
      if (new Set(new Uint32Array(data.buffer)).size > 2) {
        globalThis.firstPictureMs = performance.now();
        return;
      }
    }
    requestAnimationFrame(watch);
  };
  requestAnimationFrame(watch);
})()`;

const RENDERER = `(() => {
  const gl = document.createElement('canvas').getContext('webgl');
  const about = gl?.getExtension('WEBGL_debug_renderer_info');
  return about ? gl.getParameter(about.UNMASKED_RENDERER_WEBGL) : 'software, without WebGL';
})()`;

/** Runs in the page: at each of some places from the whole to the finest scale, with a step to the side on the way, and out again. */
const MOVE = `(async () => {
  const canvas = document.querySelector('canvas');
  const context = canvas.getContext('2d');
  const box = canvas.getBoundingClientRect();
  const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const wheel = (x, init) => canvas.dispatchEvent(
    new WheelEvent('wheel', { clientX: box.left + x * box.width, clientY: box.top + 200, bubbles: true, cancelable: true, ...init }));
  const spans = [];
  // The address follows when nothing moves for a while.
  const readSpan = async () => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    const [, from, to] = /t=(-?\\d+)\\.\\.(-?\\d+)/.exec(location.hash) ?? [0, 0, 0];
    spans.push(to - from);
  };
  const frames = [];
  const run = async (moves) => {
    await nextFrame();
    let last = performance.now();
    for (const [x, init] of moves) {
      wheel(x, init);
      await nextFrame();
      context.getImageData(canvas.width >> 1, canvas.height >> 1, 1, 1);
      const now = performance.now();
      frames.push(now - last);
      last = now;
    }
    await readSpan();
  };
  for (const x of [0.1, 0.37, 0.5, 0.73, 0.95]) {
    const steps = Array.from({ length: 70 }, (_, i) => i);
    await run(steps.flatMap((i) => [[x, { deltaY: -120, ctrlKey: true }], [x, { deltaX: i % 2 ? 90 : -60 }]]));
    await run(steps.map(() => [x, { deltaY: 120, ctrlKey: true }]));
  }
  return { frames, finestNs: Math.min(...spans.filter((each) => each > 0)), widestNs: Math.max(...spans) };
})()`;

async function startServer(path: string): Promise<{ readonly url: string; readonly process: ChildProcess }> {
  const child = spawn(process.execPath, ['bin/longpole.js', 'serve', '--no-cache', path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => resolve({ url: String(chunk).trim(), process: child }));
    child.on('close', (code) => reject(new Error(`serve ended with ${code}`)));
  });
}

/** Seconds of the processor that the page's own thread has had so far: on a busy machine frames wait, and this does not. */
async function startCpuClock(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find(({ name: metric }) => metric === 'TaskDuration')?.value ?? NaN;
  };
}

/** The largest tab's memory, as the system counts it. */
async function tabMemory(browser: Browser): Promise<{ readonly nowBytes: number; readonly peakBytes: number }> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  const tabs = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(({ id }) => {
      const status = readFileSync(`/proc/${id}/status`, 'utf8');
      const of = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) * 1024;
      return { nowBytes: of('VmRSS'), peakBytes: of('VmHWM') };
    });
  const [largest] = tabs.sort((a, b) => b.nowBytes - a.nowBytes);
  if (largest === undefined) throw new Error('there is no tab');
  return largest;
}

async function measurePage(page: Page, url: string): Promise<{ loadMs: number; pictureMs: number }> {
  await page.addInitScript(WATCH);
  await page.goto(url, { timeout: PATIENCE_MS });
  // The page's policy forbids what Playwright would wait with.
  await page.evaluate(`(async () => {
    while (globalThis.firstPictureMs === undefined) await new Promise((resolve) => setTimeout(resolve, 20));
  })()`);
  return page.evaluate<{ loadMs: number; pictureMs: number }>(`(() => {
    const [entry] = performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('data/timeline'));
    return { loadMs: entry.responseEnd - entry.startTime, pictureMs: globalThis.firstPictureMs - entry.responseEnd };
  })()`);
}

const name = process.argv[2] ?? '5M';
const size = SIZES[name];
if (size === undefined) throw new Error(`no size ${name}; one of ${Object.keys(SIZES).join(', ')}`);
buildProgram();
const input = await makeInput(name, size);
console.log(`${name}: ${input.events} events of ${input.source}, ${megabytes(input.jsonBytes)} of JSON`);
const started = performance.now();
const server = await startServer(input.plain);
console.log(`  served after ${((performance.now() - started) / 1e3).toFixed(1)} s`);
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGS });
try {
  const page = await browser.newPage({ viewport: { width: 1600, height: 1000 } });
  const cpuSeconds = await startCpuClock(page);
  const { loadMs, pictureMs } = await measurePage(page, server.url);
  const openCpu = await cpuSeconds();
  const renderer = await page.evaluate<string>(RENDERER);
  const { frames, finestNs, widestNs } = await page.evaluate<{ frames: number[]; finestNs: number; widestNs: number }>(
    MOVE,
  );
  const frameCpuMs = (((await cpuSeconds()) - openCpu) * 1e3) / frames.length;
  const memory = await tabMemory(browser);
  const longest = frames.map((ms, index) => ({ ms, index })).toSorted((a, b) => b.ms - a.ms);
  console.log(
    `  the longest: ${longest
      .slice(0, 8)
      .map(({ ms, index }) => `${ms.toFixed(0)} ms (frame ${index})`)
      .join(', ')}`,
  );
  const sorted = frames.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  console.log(`  renderer: ${renderer}`);
  console.log(`  load ${loadMs.toFixed(0)} ms, from its end to the first picture ${pictureMs.toFixed(0)} ms`);
  console.log(
    `  ${frames.length} frames, ${widestNs} ns to ${finestNs} ns wide: median ${at(0.5).toFixed(1)} ms, 95 % ${at(0.95).toFixed(1)} ms, 99 % ${at(0.99).toFixed(1)} ms, worst ${at(1).toFixed(1)} ms`,
  );
  console.log(
    `  processor time of the page’s thread: ${openCpu.toFixed(2)} s up to the first picture, ${frameCpuMs.toFixed(1)} ms a frame`,
  );
  console.log(`  the tab: ${megabytes(memory.nowBytes)}, at most ${megabytes(memory.peakBytes)}`);
  const goal = (goal: string, value: number, atMost: number) => ({ goal, value, best: value, atMost });
  const goals = [
    goal('from the load’s end to the first picture, s', pictureMs / 1e3, 2),
    goal('a frame, median, ms', at(0.5), 16),
    goal('a frame, worst, ms', at(1), 60),
    goal('memory of the tab, GB', memory.peakBytes / 1e9, 1.5),
  ];
  for (const each of goals) printGoal(each);
  console.log(
    JSON.stringify({ ...describeRun('page'), events: input.events, renderer, loadMs, openCpu, frameCpuMs, goals }),
  );
} finally {
  await browser.close();
  server.process.kill('SIGKILL');
}
