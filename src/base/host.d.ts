/** The globals that Node and a browser worker share, and that the engine may use. Anything else is a type error there. */
declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  decode(input?: Uint8Array, options?: { stream?: boolean }): string;
}
declare class TextEncoder {
  encode(input?: string): Uint8Array<ArrayBuffer>;
}
declare const performance: { now(): number };
interface AbortSignal {
  readonly aborted: boolean;
}
