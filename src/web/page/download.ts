/** Hands a file to the browser, which asks where it goes. */
export function download(name: string, content: Blob | string, type = 'text/plain'): void {
  const blob = typeof content === 'string' ? new Blob([content], { type: `${type};charset=utf-8` }) : content;
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken it over by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** `trace.json.gz` → `trace-view.svg`; nothing but plain characters, whatever the trace is called. */
export function fileName(trace: string, what: string): string {
  const stem = trace.replace(/^.*[\\/]/, '').replace(/\.json(\.gz|\.zst)?$/i, '');
  return `${stem.replace(/[^\w.-]+/g, '_').slice(0, 80) || 'trace'}-${what}`;
}
