/** Types that are derived from the registry: what must compile, and what must not. */
import type { InfoResult } from './info/result.ts';
import type { AnalysisId, OptionsOf, ResultOf } from './registry.ts';

const id: AnalysisId = 'critical-path';
const info = (result: ResultOf<'info'>): InfoResult => result;
const options: OptionsOf<'critical-path'> = { window: { kind: 'steps', first: 5, last: 7 }, exact: false };

// @ts-expect-error no such analysis
const none: AnalysisId = 'gpu-busy';
// @ts-expect-error the result of another analysis
const other = (result: ResultOf<'sync'>): InfoResult => result;
// @ts-expect-error a window without its bounds
const wrong: OptionsOf<'critical-path'> = { window: { kind: 'steps', first: 5 }, exact: false };

export { id, info, none, options, other, wrong };
