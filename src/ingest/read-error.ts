import type { ScanFailure } from './scan.ts';

/** Why a file cannot be read at all. `message` says what is so, in one line; `hint` what to do about it. */
export interface ReadError {
  readonly code:
    | ScanFailure
    | 'aborted'
    | 'too-large'
    | 'not-found'
    | 'no-access'
    | 'is-directory'
    | 'no-zstd'
    | 'damaged-compression'
    | 'read-failed';
  readonly message: string;
  /** Where in the decompressed JSON. */
  readonly byteOffset?: number;
  readonly hint?: string;
}

/** Words a scanner's failure. */
export function describeFailure(code: ScanFailure, byteOffset: number): ReadError {
  switch (code) {
    case 'empty-file':
      return { code, message: 'the file is empty' };
    case 'not-json':
      return {
        code,
        byteOffset,
        message: `no JSON at byte ${byteOffset}`,
        hint: 'a trace is JSON, perhaps compressed with gzip or zstd',
      };
    case 'ends-early':
      return { code, byteOffset, message: `the file ends at byte ${byteOffset}, before any event` };
    case 'no-event-list':
      return {
        code,
        byteOffset,
        message: 'JSON, but no trace: its "traceEvents" is no list of events',
        hint: "give the file that torch.profiler's export_chrome_trace wrote",
      };
    case 'not-a-trace':
      return {
        code,
        byteOffset,
        message: 'JSON, but no trace: it has no "traceEvents" and is no list of events',
        hint: "give the file that torch.profiler's export_chrome_trace wrote",
      };
  }
}

/** Words a scanner's failure where the compressed stream that held the JSON is damaged: what is missing was there once. */
export function describeDamaged(byteOffset: number): ReadError {
  return {
    code: 'damaged-compression',
    byteOffset,
    message: 'its compressed stream is damaged or cut off, before any event',
    hint: 'copy the file anew from where it was written; gzip -t or zstd -t checks it',
  };
}
