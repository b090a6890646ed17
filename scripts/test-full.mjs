// npm run test:full [-- FILE…]: like `npm test`, with ten times as many random programs for the proof of the graph, with more
// random jobs of several ranks, and with all traces where a few stand for them.
process.env.LONGPOLE_PROGRAMS ??= '20000';
process.env.LONGPOLE_ALL_TRACES ??= '1';
process.env.LONGPOLE_ALL_SEEDS ??= '1';
await import('./test.mjs');
