import { composeReport } from './compute.ts';
import { documentOf, healthDocument } from './document-of.ts';
import { renderHtml } from './render-html.ts';
import { renderMarkdown } from './render-markdown.ts';
import { renderHealth, renderReport } from './render-text.ts';

/** Not an analysis of a trace but of other analyses' answers: the session hands it those. */
export const report = {
  id: 'report',
  question: 'What bounds a step of this job, and where should one look first?',
  compose: composeReport,
  renderText: renderReport,
  /** What can be said where the path has no answer. */
  renderHealth,
  documentOf,
  healthDocument,
  renderMarkdown,
  renderHtml,
} as const;
