import { escapeText } from '../../base/format.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text as HTML or SVG shows it, between tags and in quoted attributes: no markup, and nothing that turns the writing round. */
export const escapeHtml = (text: string): string => escapeText(text).replace(/[&<>"']/g, (char) => ENTITIES[char]);
