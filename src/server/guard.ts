import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Names of this machine. A foreign name that resolves to it is a page that tries to read through the browser (DNS rebinding). */
const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** The host of a `Host` header without its port, in lower case; `undefined` where it is none. */
export function hostNameOf(header: string | undefined): string | undefined {
  return /^(\[[0-9a-f:]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/.exec(header?.toLowerCase() ?? '')?.[1];
}

/** Who may ask: this machine's names at any port, so that `ssh -L` works, and those that were allowed. */
export function isAllowedHost(header: string | undefined, allowed: readonly string[]): boolean {
  const name = hostNameOf(header);
  return name !== undefined && (LOOPBACK.includes(name) || allowed.some((each) => each.toLowerCase() === name));
}

/** A page of the same origin, or no page at all. A proxy may have changed `Host`, so that an allowed name is as good. */
export function isOwnOrigin(origin: string | undefined, host: string | undefined, allowed: readonly string[]): boolean {
  if (origin === undefined) return true;
  const [, rest] = /^https?:\/\/([^/]+)$/.exec(origin.toLowerCase()) ?? [];
  if (rest === undefined) return false;
  const name = hostNameOf(rest);
  return rest === host?.toLowerCase() || allowed.some((each) => each.toLowerCase() === name);
}

/** A secret of one run. The cookie's name is of the run too: cookies do not tell the ports of a host apart. */
export interface Key {
  readonly token: string;
  readonly cookie: string;
  isToken(given: string | undefined): boolean;
}

const TOKEN_BYTES = 24;

export function createKey(token = randomBytes(TOKEN_BYTES).toString('base64url')): Key {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  const wanted = digest(token);
  return {
    token,
    cookie: `longpole-${wanted.toString('hex').slice(0, 12)}`,
    isToken: (given) => given !== undefined && timingSafeEqual(digest(given), wanted),
  };
}
