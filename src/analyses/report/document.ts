/**
 * A report as its readers see it, before it is Markdown or a page: sections of words, a chart and a table. Texts may come from a trace;
 * renderers escape them. Numbers are as in results (ns, bytes, shares of 1) and are formatted by their column's unit.
 */
export interface ReportDocument {
  /** What was read: the file's name. */
  readonly title: string;
  /** What it is a trace of, a line each. */
  readonly about: readonly ReportText[];
  /** The answer in a sentence or three. */
  readonly verdict: ReportText;
  readonly sections: readonly ReportSection[];
  /** What a reader should know before trusting it: limits, guesses, damage. */
  readonly notes: readonly ReportText[];
}

/** Words. A name that is quoted from a trace may be a piece of its own, which renderers set as code. */
export type ReportText = string | readonly ReportPiece[];
export type ReportPiece = string | { readonly code: string };

export interface ReportSection {
  /** In kebab-case: the anchor on the page. */
  readonly id: string;
  readonly heading: string;
  readonly paragraphs: readonly ReportText[];
  readonly chart?: ReportChart;
  /** Drawn on the page only; what else the section has must say what one reads off it. */
  readonly heat?: ReportHeat;
  readonly table?: ReportTable;
  /** The command that shows more. */
  readonly command?: string;
}

/** Stacked horizontal bars: one a row, its parts in the order of `parts`. */
export interface ReportChart {
  readonly kind: 'bars';
  readonly unit: 'ns' | 'share';
  /** Names of the parts, as the legend lists them. */
  readonly parts: readonly string[];
  readonly rows: readonly { readonly label: string; readonly values: readonly number[] }[];
}

/** A time for each row and column, as colours. Small: whoever makes it merges what is too much to draw. */
export interface ReportHeat {
  readonly rows: readonly string[];
  /** `label`: on the axis; `title`: what a cell's words call it. */
  readonly columns: readonly { readonly label: string; readonly title: string }[];
  /** By row, then column, in ns; `undefined`: there is none, for which `none` are the legend's words. */
  readonly values: readonly (readonly (number | undefined)[])[];
  readonly none: string;
  /** Before the time in a cell's words: `waited`. */
  readonly says: string;
  /** What the columns are. */
  readonly axis: string;
  /** How to read it. */
  readonly caption: string;
  /** What it shows, for those who cannot see it. */
  readonly summary: string;
}

export interface ReportTable {
  readonly columns: readonly ReportColumn[];
  readonly rows: readonly (readonly ReportCell[])[];
  /** Rows of the whole list, where `rows` is cut. */
  readonly total?: number;
}

export interface ReportColumn {
  readonly name: string;
  /** `name`: a text from a trace, set as code. */
  readonly unit: 'text' | 'name' | 'ns' | 'share' | 'count' | 'bytes' | 'gb-per-s';
}

/** `undefined`: not known, shown as a dash. */
export type ReportCell = ReportText | number | undefined;
