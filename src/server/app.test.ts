import { describe, expect, test } from 'vitest';
import { ANALYSES } from '../analyses/registry.ts';
import { decodeTimeline } from '../protocol/timeline.ts';
import { createSession } from '../session/session.ts';
import { traceOf } from '../test-kit/draw.ts';
import { createAnswers } from '../answers/answers.ts';
import { createApp } from './app.ts';
import { servedAnswers } from './served-answers.ts';
import { createKey, hostNameOf, isAllowedHost, isOwnOrigin } from './guard.ts';

const key = createKey('secret-token');
const COOKIE = `${key.cookie}=secret-token`;
const answers = createAnswers(createSession(traceOf('cpu 1 | mm@2+8 cudaLaunchKernel#1@4+5\ngpu 0.7 | gemm#1@15+30')), {
  path: ANALYSES['critical-path'].defaults,
  rows: { kind: 'none', why: 'standard input cannot be read again' },
  rest: () => Promise.resolve(),
});
const assets = { '': { type: 'text/html', body: '<p>page' }, 'page.js': { type: 'text/javascript', body: 'run()' } };
const app = createApp({ key, allowedHosts: ['hub.example.org'], assets, answers: servedAnswers(answers) });

interface Asked {
  readonly host?: string;
  readonly method?: string;
  readonly cookie?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

async function get(
  path: string,
  { host = 'localhost:8000', method = 'GET', cookie = COOKIE, headers = {}, body }: Asked = {},
) {
  return app.request(`http://localhost:8000${path}`, {
    method,
    headers: { host, ...(cookie === '' ? {} : { cookie }), ...headers },
    ...(body === undefined ? {} : { body }),
  });
}

const call = (name: string, ask: unknown, asked: Asked = {}) =>
  get(`/call/${name}`, { method: 'POST', body: JSON.stringify(ask), ...asked });

describe('the token', () => {
  test('becomes a cookie that scripts cannot read, and leaves the address', async () => {
    const response = await get('/?token=secret-token', { cookie: '' });
    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toBe('./');
    expect(response.headers.get('set-cookie')).toBe(`${key.cookie}=secret-token; Path=/; HttpOnly; SameSite=Lax`);
  });
  test.each(['/', '/?token=', '/?token=wrong', '/page.js?token=secret-token', '/data/timeline', '/nothing'])(
    'without it, %s is refused',
    async (path) => {
      const response = await get(path, { cookie: '' });
      expect(response.status).toBe(401);
      expect(response.headers.get('set-cookie')).toBeNull();
      expect(await response.text()).not.toContain('secret');
    },
  );
  test('a wrong cookie is refused, and another run’s too', async () => {
    expect((await get('/', { cookie: `${key.cookie}=wrong` })).status).toBe(401);
    expect((await get('/', { cookie: `longpole-0=secret-token` })).status).toBe(401);
    expect(createKey().token).not.toBe(createKey().token);
  });
  test('calls need it', async () => {
    expect((await call('overview', {}, { cookie: '' })).status).toBe(401);
  });
});

describe('who may ask', () => {
  test.each(['localhost', 'localhost:9999', '127.0.0.1:1', '[::1]:8000', '[::1]', 'LOCALHOST:8', 'hub.example.org'])(
    'Host %s may',
    async (host) => expect((await get('/', { host })).status).toBe(200),
  );
  test.each(['evil.example.org', 'localhost.evil.org', 'evil.org:8000', '10.0.0.1:8000', 'localhost:x', '[::2]', ''])(
    'Host %s may not, token or none',
    async (host) => {
      expect((await get('/?token=secret-token', { host })).status).toBe(403);
      expect((await get('/data/timeline', { host })).status).toBe(403);
    },
  );
  test.each([
    ['http://localhost:8000', 200],
    ['http://hub.example.org', 200],
    ['http://localhost:3000', 403],
    ['https://evil.example.org', 403],
    ['null', 403],
  ])('Origin %s: %i', async (origin, status) => {
    expect((await call('overview', {}, { headers: { origin } })).status).toBe(status);
    expect((await get('/data/timeline', { headers: { origin } })).status).toBe(status);
  });
  test('another site may not load parts of it; a link to it may be followed', async () => {
    const from = (site: string, mode: string) => ({ headers: { 'sec-fetch-site': site, 'sec-fetch-mode': mode } });
    expect((await get('/page.js', from('cross-site', 'no-cors'))).status).toBe(403);
    expect((await get('/data/timeline', from('same-site', 'no-cors'))).status).toBe(403);
    expect((await get('/data/timeline', from('same-origin', 'cors'))).status).toBe(200);
    expect((await get('/', from('cross-site', 'navigate'))).status).toBe(200);
  });
  test('names of hosts', () => {
    expect(hostNameOf('Localhost:80')).toBe('localhost');
    expect(hostNameOf('a b')).toBeUndefined();
    expect(isAllowedHost(undefined, [])).toBe(false);
    expect(isAllowedHost('Hub:1', ['hub'])).toBe(true);
    expect(isOwnOrigin(undefined, 'localhost', [])).toBe(true);
    expect(isOwnOrigin('http://localhost:1/x', 'localhost:1', [])).toBe(false);
  });
});

describe('what is served', () => {
  test('only the page’s own files', async () => {
    expect(await (await get('/')).text()).toBe('<p>page');
    expect((await get('/page.js')).headers.get('content-type')).toBe('text/javascript');
    for (const path of [
      '/package.json',
      '/../package.json',
      '/%2e%2e/%2e%2e/etc/passwd',
      '/page.js/../../x',
      '//etc/passwd',
    ]) {
      expect((await get(path)).status).toBe(404);
    }
  });
  test('by the one method that means it', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
      expect((await get('/', { method })).status).toBe(405);
      expect((await get('/data/timeline', { method })).status).toBe(405);
    }
    expect((await get('/call/overview')).status).toBe(405);
    expect((await get('/', { method: 'HEAD' })).status).toBe(200);
  });
  test('under a policy that allows nothing else, refused or not', async () => {
    for (const response of [await get('/'), await get('/', { cookie: '' }), await get('/', { host: 'evil.org' })]) {
      const policy = response.headers.get('content-security-policy');
      expect(policy).toContain(
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; connect-src 'self'",
      );
      expect(policy?.replace("'wasm-unsafe-eval'", '')).not.toMatch(/unsafe|https?:|\*/);
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(response.headers.get('referrer-policy')).toBe('no-referrer');
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
    }
  });
});

describe('calls', () => {
  test('the timeline', async () => {
    const timeline = decodeTimeline(await (await get('/data/timeline')).arrayBuffer());
    expect(timeline.lanes.map(({ kind }) => kind)).toEqual(['stream', 'host']);
  });
  test('the overview', async () => {
    const reply = (await (await call('overview', {})).json()) as { document: { verdict: string } };
    expect(reply.document.verdict).toContain('takes');
  });
  test('why, and the row', async () => {
    const gemm = 2;
    expect(await (await call('explain', { event: gemm })).json()).toMatchObject({
      status: 'ok',
      result: { event: { name: 'gemm' }, chain: [{ boundBy: 'launch' }, {}] },
    });
    expect(await (await call('event', { event: gemm })).json()).toEqual({
      name: 'gemm',
      category: 'kernel',
      startNs: 13_000,
      durNs: 30_000,
      unread: 'standard input cannot be read again',
    });
  });
  test.each([undefined, null, 7, {}, { event: -1 }, { event: 1.5 }, { event: '2' }, { event: 99 }, { event: 1e300 }])(
    '%j is no event',
    async (ask) => {
      for (const name of ['explain', 'event']) expect((await call(name, ask)).status).toBe(400);
    },
  );
  test('a flood is cut short, an unknown call is none', async () => {
    expect((await call('explain', { event: 2, more: 'x'.repeat(100_000) })).status).toBe(413);
    expect((await call('shutdown', {})).status).toBe(404);
    expect((await call('explain', '', { body: 'no JSON' })).status).toBe(400);
  });
});
