import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { type SnapshotOptions, makeSnapshot } from '../answers/snapshot.ts';
import type { ReportDocument } from '../analyses/report/document.ts';
import { COMPOSITIONS } from '../analyses/registry.ts';
import { type Result, err, ok } from '../base/result.ts';
import type { Report } from '../library/session.ts';
import { readRows } from './read-rows.ts';
import type { Session } from './session.ts';

/** Beside the program: `scripts/build.mjs` puts them there. */
const ASSETS = new URL('.', import.meta.url);

export interface PageRequest {
  readonly session: Session;
  readonly report: Report;
  /** The report as it is written down. */
  readonly document: ReportDocument;
  /** Whose path is shown. */
  readonly path: SnapshotOptions['path'];
  /** Where the trace was read; `-`: standard input. */
  readonly file: string;
  /** Bytes of the page at most. */
  readonly maxBytes: number;
}

/** Bytes that the page needs at least, where it may not have them. */
export type TooSmall = { readonly leastBytes: number };

const readAssets = (assets: URL, names: readonly string[]): Promise<string[]> =>
  Promise.all(names.map((name) => readFile(new URL(name, assets), 'utf8')));

async function ownAssets(assets: URL): Promise<Parameters<typeof COMPOSITIONS.report.renderHtml>[1]> {
  const [script, style] = await readAssets(assets, ['report-page.js', 'report-page.css']);
  return { script, style, scriptHash: sha256(script), styleHash: sha256(style) };
}

/** A document as one HTML file that needs no network, without a timeline. */
export const documentPage = async (document: ReportDocument, assets = ASSETS): Promise<string> =>
  COMPOSITIONS.report.renderHtml(document, await ownAssets(assets));

/** A report as one HTML file that needs no network, with the timeline in it where there is one. */
export async function reportPage(request: PageRequest, assets = ASSETS): Promise<Result<string, TooSmall>> {
  const { session, report, document, path, file, maxBytes } = request;
  if (session.trace.events.length === 0) return ok(await documentPage(document, assets));
  const own = await ownAssets(assets);
  const [pageStyle, engine] = await readAssets(assets, ['page.css', 'page-engine.js']);
  const { renderHtml } = COMPOSITIONS.report;
  const timeline = { style: pageStyle, styleHash: sha256(pageStyle), engine: pack(Buffer.from(engine)) };
  const bare = Buffer.byteLength(renderHtml(document, own, { ...timeline, snapshot: {} }));
  const mostChars = maxBytes - bare;
  const readAll = (offsets: readonly number[]): ReturnType<typeof readRows> => readRows(file, offsets);
  const made = await makeSnapshot(session, report, { path, readRows: readAll, pack, mostChars });
  if (!made.ok) return err({ leastBytes: bare + made.error });
  const { snapshot, notes } = made.value;
  const noted = { ...document, notes: [...notes, ...document.notes] };
  return ok(renderHtml(noted, own, { ...timeline, snapshot }));
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64');
const pack = (bytes: Uint8Array): string => gzipSync(bytes).toString('base64');
