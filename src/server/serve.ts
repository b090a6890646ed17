import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { type Asset, createApp } from './app.ts';
import { createKey } from './guard.ts';
import type { ServedAnswers } from './served-answers.ts';

export interface ServeOptions {
  readonly answers: ServedAnswers;
  /** 0: any that is free. */
  readonly port: number;
  readonly allowedHosts: readonly string[];
  /** The folder of the page's files. */
  readonly assets?: URL;
}

export interface Served {
  readonly port: number;
  /** With the token: whoever has it may read the trace. */
  readonly url: string;
  /** Ends all connections too. */
  close(): Promise<void>;
}

/** Beside the program: `scripts/build.mjs` puts them there. */
const ASSETS = new URL('.', import.meta.url);
const LOOPBACK = '127.0.0.1';

const FILES = [
  { path: '', file: 'page.html', type: 'text/html; charset=utf-8' },
  { path: 'page.js', file: 'page.js', type: 'text/javascript; charset=utf-8' },
  { path: 'engine.js', file: 'page-engine.js', type: 'text/javascript; charset=utf-8' },
  { path: 'page.css', file: 'page.css', type: 'text/css; charset=utf-8' },
  { path: 'icon.svg', file: 'page-icon.svg', type: 'image/svg+xml' },
] as const;

/** Listens on this machine's own address, and nowhere else. Rejects with Node's error where the port cannot be had. */
export async function servePage({ answers, port, allowedHosts, assets = ASSETS }: ServeOptions): Promise<Served> {
  const key = createKey();
  const files: Record<string, Asset> = {};
  for (const { path, file, type } of FILES) files[path] = { type, body: await readFile(new URL(file, assets), 'utf8') };
  const app = createApp({ key, allowedHosts, assets: files, answers });
  return new Promise((resolve, reject) => {
    const server = serve({ fetch: app.fetch, port, hostname: LOOPBACK }, (info: AddressInfo) => {
      resolve({
        port: info.port,
        url: `http://localhost:${info.port}/?token=${key.token}`,
        close: () =>
          new Promise((done) => {
            server.close(() => done());
            if ('closeAllConnections' in server) server.closeAllConnections();
          }),
      });
    });
    server.once('error', reject);
  });
}
