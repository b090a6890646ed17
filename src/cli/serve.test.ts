/** `longpole serve` as a process, asked over a real socket. `npm test` builds it first. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { BIN } from '../test-kit/run-built.ts';
import { jsonOf } from '../test-kit/draw.ts';

const folder = mkdtempSync(join(tmpdir(), 'longpole-serve-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const TRACE = join(folder, 'trace.json');
writeFileSync(TRACE, jsonOf('cpu 1 | mm@2+8 cudaLaunchKernel#1@4+5\ngpu 0.7 | gemm#1@15+30'));
writeFileSync(join(folder, 'no-events.json'), '{"traceEvents": []}');

interface Run {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
}

/** Runs until it ends by itself, or, once it says where it serves, through `use` and Ctrl-C. */
function serve(
  args: readonly string[],
  use: (url: URL) => Promise<void>,
  env: NodeJS.ProcessEnv = {},
  input?: Buffer,
): Promise<Run> {
  const { SSH_CONNECTION: _, ...own } = process.env;
  const child = spawn(process.execPath, [BIN, 'serve', ...args], { env: { ...own, ...env } });
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    let [stdout, stderr] = ['', ''];
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
      if (!stdout.endsWith('\n')) return;
      use(new URL(stdout.trim())).then(
        () => child.kill('SIGINT'),
        (error: unknown) => {
          child.kill('SIGKILL');
          reject(error instanceof Error ? error : new Error(String(error)));
        },
      );
    });
    child.on('close', (code) => resolve({ stdout, stderr, code }));
  });
}

/** The status line of a request that is written as it stands. */
function ask({ hostname, port }: { hostname: string; port: number }, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, hostname, () => socket.end(text));
    let answer = '';
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    socket.on('error', reject);
    socket.on('close', () => resolve(answer.split('\r\n')[0] ?? ''));
  });
}

const never = (): Promise<void> => Promise.reject(new Error('it serves'));

describe('serve', () => {
  test('prints where, answers whoever has the token, and ends with 130', async () => {
    const { code, stdout, stderr } = await serve([TRACE], async (url) => {
      const entered = await fetch(url, { redirect: 'manual' });
      const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? '';
      expect(entered.status).toBe(303);
      const page = await fetch(url.origin, { headers: { cookie } });
      expect(await page.text()).toContain('<script src="page.js" defer>');
      for (const path of ['/page.js', '/page.css', '/icon.svg', '/data/timeline']) {
        expect((await fetch(url.origin + path, { headers: { cookie } })).status).toBe(200);
      }
      const row = await fetch(`${url.origin}/call/event`, {
        method: 'POST',
        headers: { cookie },
        body: '{"event": 2}',
      });
      expect(await row.json()).toMatchObject({ name: 'gemm', args: expect.arrayContaining([['correlation', '1']]) });
      const to = { hostname: '127.0.0.1', port: Number(url.port) };
      const head = `Host: localhost\r\nCookie: ${cookie}\r\nConnection: close\r\n\r\n`;
      expect(await ask(to, `GET /../../etc/passwd HTTP/1.1\r\n${head}`)).toContain('404');
      expect(await ask(to, `GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\n${head}`)).toContain('404');
      expect(await ask(to, `GET / HTTP/1.1\r\n${head}`)).toContain('200');
      expect(await ask(to, `GET / HTTP/1.1\r\n${head.replace('localhost', 'evil.example.org')}`)).toContain('403');
      expect(await ask(to, `TRACE / HTTP/1.1\r\n${head}`)).not.toContain('200');
    });
    expect(code).toBe(130);
    expect(stdout).toMatch(/^http:\/\/localhost:\d+\/\?token=[\w-]{32}\n$/);
    expect(stderr).toBe('serving on this machine only; Ctrl-C ends it\n');
  });

  test('a trace from standard input; its args cannot be read again', async () => {
    await serve(
      ['-'],
      async (url) => {
        const entered = await fetch(url, { redirect: 'manual' });
        const headers = { cookie: entered.headers.get('set-cookie')?.split(';')[0] ?? '' };
        const row = await fetch(`${url.origin}/call/event`, { method: 'POST', headers, body: '{"event": 2}' });
        expect(await row.json()).toMatchObject({ name: 'gemm', unread: 'standard input cannot be read again' });
      },
      {},
      readFileSync(TRACE),
    );
  });

  test('a browser that keeps its connection does not hold it up', async () => {
    const { code } = await serve([TRACE], async (url) => {
      await new Promise<void>((resolve) => {
        const socket = connect(Number(url.port), '127.0.0.1', () => resolve());
        socket.on('error', () => undefined);
      });
    });
    expect(code).toBe(130);
  });

  test('under SSH it says how to reach it', async () => {
    const env = { SSH_CONNECTION: '10.0.0.9 5000 10.0.0.7 22', USER: 'ada' };
    let port = '';
    const { stderr } = await serve([TRACE], async (url) => void (port = await Promise.resolve(url.port)), env);
    expect(stderr).toContain(`ssh -N -L ${port}:localhost:${port} ada@10.0.0.7`);
  });

  test('a name that is allowed', async () => {
    await serve([TRACE, '--allow-host', 'hub.example.org'], async (url) => {
      const to = { hostname: '127.0.0.1', port: Number(url.port) };
      const request = (host: string): string =>
        `GET /${url.search} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
      expect(await ask(to, request('hub.example.org'))).toContain('303');
      expect(await ask(to, request('other.example.org'))).toContain('403');
    });
  });

  test('a port that is taken, and what cannot be served, is told in one line', async () => {
    const taken = createServer();
    const port = await new Promise<number>((resolve) => {
      taken.listen(0, '127.0.0.1', () => {
        const address = taken.address();
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      });
    });
    const { code, stderr } = await serve([TRACE, '--port', String(port)], never);
    taken.close();
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `longpole: --port ${port}: cannot listen (EADDRINUSE); another one, or none for any that is free\n`,
    });
    for (const [args, message] of [
      [['--port', '99999', TRACE], "--port '99999' is no port of 1 to 65535; for example --port 8765"],
      [['--port', '0', TRACE], "--port '0' is no port of 1 to 65535; for example --port 8765"],
      [
        ['--allow-host', 'http://x', TRACE],
        "--allow-host 'http://x' is no name of a host; for example --allow-host hub.example.org",
      ],
      [[join(folder, 'no-events.json')], 'no-events.json: no events, so there is no page'],
      [[], 'no trace given; for example: longpole serve trace.json.gz'],
    ] as const) {
      expect(await serve(args, never)).toEqual({ code: 2, stdout: '', stderr: `longpole: ${message}\n` });
    }
  });
});
