/** The globals that Node and a browser worker share, and that the engine may use. Anything else is a type error there. */
declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  decode(input?: Uint8Array, options?: { stream?: boolean }): string;
}
declare class TextEncoder {
  encode(input?: string): Uint8Array<ArrayBuffer>;
}
declare const performance: { now(): number };
declare class DecompressionStream {
  constructor(format: 'gzip');
  readonly readable: {
    getReader(): {
      read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array }>;
      cancel(reason?: unknown): Promise<void>;
    };
  };
  readonly writable: {
    getWriter(): {
      write(bytes: Uint8Array): Promise<void>;
      close(): Promise<void>;
      abort(reason: unknown): Promise<void>;
    };
  };
}
