// npm run test:full [-- FILE…]: like `npm test`, with ten times as many random programs for the proof of the graph.
process.env.LONGPOLE_PROGRAMS ??= '20000';
await import('./test.mjs');
