/**
 * longpole without Node: bytes in, answers out, in a browser's worker too. `readTrace` reads a trace, and one function a question answers it.
 *
 * @module
 */
export type { ByteStream, ByteStreamReader } from './library/inflate.ts';
export { readTrace, type ByteSource } from './library/read-trace.ts';
export type { OpenTrace } from './library/open-trace.ts';
export { NoAnswerError, unwrap, type NotApplicable } from './library/unwrap.ts';
export * from './library/questions.ts';
export type { AnswerOf, AskArguments, AskOptions, QuestionId } from './library/ask-options.ts';
export type { NumberSpan, TimeSpan, WindowFields, WindowOptions } from './library/window-options.ts';
export * from './library/results.ts';
