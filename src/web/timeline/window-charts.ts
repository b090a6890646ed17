/** How the time of windows divides, as charts. */
import type { BreakdownResult } from '../../analyses/breakdown/result.ts';
import type { ReportChart } from '../../analyses/report/document.ts';
import { upperBound } from '../../base/bisect.ts';
import type { Timeline, TimelineWindow } from '../../protocol/timeline.ts';

/** The path of one window: Σ `byKind` is what of the window the path covers, in ns, by place in `segmentKinds`. */
export interface WindowPath extends TimelineWindow {
  readonly byKind: Float64Array;
}

/** Segments are cut at the windows' borders. O(segments + windows × log segments). */
export function pathByWindow({ windows, pathStart, pathEnd, pathKind, segmentKinds }: Timeline): WindowPath[] {
  return windows.map((window) => {
    const byKind = new Float64Array(segmentKinds.length);
    for (let s = upperBound(pathEnd, window.startNs); s < pathStart.length && pathStart[s] < window.endNs; s++) {
      byKind[pathKind[s]] += Math.min(pathEnd[s], window.endNs) - Math.max(pathStart[s], window.startNs);
    }
    return { ...window, byKind };
  });
}

export function pathChart(windows: readonly WindowPath[], kinds: readonly string[]): ReportChart {
  return {
    kind: 'bars',
    unit: 'ns',
    parts: kinds,
    rows: windows.map(({ label, byKind }) => ({ label, values: [...byKind] })),
  };
}

/** What a device did: alone or at once, and when it was idle. Σ of a row is the window's length. */
export function deviceChart({ windows }: Pick<BreakdownResult, 'windows'>, device: number): ReportChart {
  const nameOf = (classes: readonly string[]): string => classes.join(' + ');
  const rows = windows.map(({ label, devices }) => ({ label, parts: devices.find((each) => each.device === device) }));
  const names = [
    ...new Set(rows.flatMap(({ parts }) => parts?.combinations.map(({ classes }) => nameOf(classes)) ?? [])),
  ];
  return {
    kind: 'bars',
    unit: 'ns',
    parts: [...names, 'idle'],
    rows: rows.map(({ label, parts }) => ({
      label,
      values: [
        ...names.map((name) => parts?.combinations.find(({ classes }) => nameOf(classes) === name)?.totalNs ?? 0),
        parts?.idleNs ?? 0,
      ],
    })),
  };
}
