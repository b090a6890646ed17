/** longpole as a library in Node: `openSession('trace.json.gz')`, then ask. */
export { createSession, openSession, type Session } from './session/session.ts';
export { openTrace } from './session/open-node.ts';
export * from './engine.ts';
