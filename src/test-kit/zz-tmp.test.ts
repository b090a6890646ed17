import { test } from 'vitest';
import fc from 'fast-check';
import { runProgram } from './program.ts';
import { syncOf, pathOf } from './answers.ts';
import { program } from '../graph/invariants.test.ts';
test('x', () => {
  const s = fc.sample(program as never, { numRuns: 300, seed: 1 }) as never[];
  let w = 0, e = 0, via = 0; const kinds: Record<string, number> = {}; const st: Record<string, number> = {}; const binds: Record<string, number> = {};
  for (const p of s) { const r = runProgram(p); if (r.waits.length) w++; const y = syncOf(r.drawing); for (const x of y.edges) { if (x.source?.via) via++; st[x.kind + ' ' + x.status] = (st[x.kind + ' ' + x.status] ?? 0) + 1; } for (const g of pathOf(r.drawing).path.segments) { kinds[g.kind] = (kinds[g.kind] ?? 0) + 1; binds[g.boundBy] = (binds[g.boundBy] ?? 0) + 1; } }
  console.log(w, via, st, kinds, binds);
});
