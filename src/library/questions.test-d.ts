/** The library as its callers see it: what must compile, and what must not. `scripts/check-package.mjs` compiles it against the package too. */
import {
  type AskOptions,
  type CriticalPathResult,
  type OpenTrace,
  type Outcome,
  type ReadError,
  type Result,
  type WhatIfResult,
  WORK_CLASSES,
  type WorkClass,
  breakdown,
  criticalPath,
  explain,
  launches,
  ops,
  openTrace,
  readTrace,
  report,
  sync,
  unwrap,
  whatIf,
} from '../index.ts';

const opened: Promise<Result<OpenTrace, ReadError>> = openTrace('trace.json', {
  maxBytes: 5,
  signal: { aborted: false },
});
const read: Promise<Result<OpenTrace, ReadError>> = readTrace(new Uint8Array(0), { file: 'trace.json' });
const trace = unwrap(await opened);

const path: Outcome<CriticalPathResult> = criticalPath(trace, { step: 5, exact: true });
const spent: number | undefined = unwrap(path).path.breakdown[0]?.totalNs;
const why = unwrap(explain(trace, { event: 'e-1' }));
const again = explain(trace, { event: why.event, links: 3 });
const forecast: WhatIfResult = unwrap(
  whatIf(trace, { changes: [{ kind: 'launch-latency', ns: 0 }], annotation: 'forward', instance: 0 }),
);
const classes: readonly WorkClass[] = WORK_CLASSES;
const asked: readonly Outcome<unknown>[] = [trace.ask('report'), trace.ask('breakdown', { step: 5 }), report(trace)];
const options: AskOptions<'launches'> = { minCallNs: 5, range: { startNs: 0, endNs: 5 } };
const combined = launches(trace, options);
const message: string | undefined = path.status === 'ok' ? undefined : path.reason;

// @ts-expect-error two windows
criticalPath(trace, { step: 5, annotation: 'forward' });
// @ts-expect-error an instance of nothing
breakdown(trace, { instance: 0 });
// @ts-expect-error an option that is another question's
breakdown(trace, { minCallNs: 5 });
// @ts-expect-error the engine's form of a window
breakdown(trace, { window: { kind: 'default' } });
// @ts-expect-error it is about the whole trace
sync(trace, { step: 5 });
// @ts-expect-error no such way to sort
ops(trace, { sort: 'name' });
// @ts-expect-error no event
explain(trace);
// @ts-expect-error no changes
whatIf(trace, {});
// @ts-expect-error no such question
trace.ask('gpu-busy');
// @ts-expect-error it may have failed
criticalPath(await read);
// @ts-expect-error it may not apply
const result = path.result;

export { again, asked, classes, combined, forecast, message, result, spent };
