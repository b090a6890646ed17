/**
 * longpole for Node: `openTrace` opens the trace of one rank, and one function a question answers it. Nothing is printed.
 *
 * @module
 */
export { openTrace } from './session/open-trace.ts';
export * from './engine.ts';
