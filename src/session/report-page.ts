import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { ReportDocument } from '../analyses/report/document.ts';
import { COMPOSITIONS } from '../analyses/registry.ts';

/** Beside the program: `scripts/build.mjs` puts them there. */
const ASSETS = new URL('.', import.meta.url);

/** A report as one HTML file that needs no network. */
export async function reportPage(report: ReportDocument, assets = ASSETS): Promise<string> {
  const [script, style] = await Promise.all(
    ['report-page.js', 'report-page.css'].map((file) => readFile(new URL(file, assets), 'utf8')),
  );
  return COMPOSITIONS.report.renderHtml(report, {
    script,
    style,
    scriptHash: sha256(script),
    styleHash: sha256(style),
  });
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64');
