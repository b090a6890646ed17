/** The page's server, without a socket: from a request to its answer. */
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { getCookie, setCookie } from 'hono/cookie';
import { CALL_NAMES, type CallName, TIMELINE_PATH, callPath } from '../protocol/calls.ts';
import type { ServedAnswers } from './served-answers.ts';
import { type Key, isAllowedHost, isOwnOrigin } from './guard.ts';

/** A file of the page. */
export interface Asset {
  readonly type: string;
  readonly body: string;
}

export interface AppOptions {
  readonly key: Key;
  /** Names beside this machine's own that a request's `Host` may have. */
  readonly allowedHosts: readonly string[];
  /** By their path below the page's; the page itself is ''. Nothing else is served from a disk. */
  readonly assets: Readonly<Record<string, Asset>>;
  readonly answers: ServedAnswers;
}

/** Nothing but the page's own files, and no other site around it. */
const HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': [
    "default-src 'none'",
    // The scanner of the engine that reads a dropped file is WebAssembly.
    "script-src 'self' 'wasm-unsafe-eval'",
    "worker-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  // A window that the page opens (Perfetto's, when asked for) must be able to answer it; none that opens the page can reach it.
  'Cross-Origin-Opener-Policy': 'same-origin-allow-popups',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
};

const MOST_ASKED_BYTES = 64 * 1024;
const MOST_NOTES_BYTES = 8 * 1024 * 1024;
const NO_TOKEN = 'longpole: open the whole URL that `longpole serve` printed; it ends with a token.\n';

export function createApp({ key, allowedHosts, assets, answers }: AppOptions): Hono {
  const app = new Hono();

  app.use(async (context, next) => {
    for (const [name, value] of Object.entries(HEADERS)) context.header(name, value);
    const host = context.req.header('host');
    if (!isAllowedHost(host, allowedHosts)) {
      return context.text('longpole: this name of the server is not known; --allow-host NAME allows it.\n', 403);
    }
    const site = context.req.header('sec-fetch-site');
    const isNavigation = context.req.header('sec-fetch-mode') === 'navigate';
    const isForeign = site !== undefined && site !== 'same-origin' && site !== 'none' && !isNavigation;
    if (isForeign || !isOwnOrigin(context.req.header('origin'), host, allowedHosts)) {
      return context.text('longpole: another site may not ask.\n', 403);
    }
    const { method } = context.req;
    const wanted = context.req.path.startsWith('/call/') ? 'POST' : 'GET';
    if (method !== wanted && !(wanted === 'GET' && method === 'HEAD')) {
      context.header('Allow', wanted);
      return context.text('longpole: no such method here.\n', 405);
    }
    if (context.req.path === '/' && key.isToken(context.req.query('token'))) {
      setCookie(context, key.cookie, key.token, { httpOnly: true, sameSite: 'Lax', path: '/' });
      // A browser keeps the fragment of what it was sent from, so that a link with a selection keeps it.
      return context.redirect('./', 303);
    }
    if (!key.isToken(getCookie(context, key.cookie))) return context.text(NO_TOKEN, 401);
    return next();
  });

  for (const [path, { type, body }] of Object.entries(assets)) {
    app.get(`/${path}`, (context) => context.body(body, 200, { 'Content-Type': type }));
  }
  app.get(`/${TIMELINE_PATH}`, (context) =>
    context.body(answers.timeline, 200, { 'Content-Type': 'application/octet-stream' }),
  );
  for (const name of CALL_NAMES) {
    const maxSize = name === 'keep-notes' ? MOST_NOTES_BYTES : MOST_ASKED_BYTES;
    const limit = bodyLimit({ maxSize, onError: (context) => context.text('too large\n', 413) });
    app.post(`/${callPath(name)}`, limit, async (context) => {
      const ask: unknown = await context.req.json().catch(() => undefined);
      const reply = await answers.ask(name satisfies CallName, ask);
      if (!reply.ok) return context.text(`${reply.error}\n`, 400);
      return context.body(reply.value, 200, { 'Content-Type': 'application/json' });
    });
  }
  app.notFound((context) => context.text('longpole: no such page.\n', 404));
  app.onError((error, context) => context.text(`longpole: bug: ${error.message}\n`, 500));
  return app;
}
