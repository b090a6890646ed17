/** How the time of windows divides, as charts. */
import type { BreakdownResult } from '../../analyses/breakdown/result.ts';
import type { PageChart } from '../../analyses/report/page-charts.ts';
import { upperBound } from '../../base/bisect.ts';
import { escapeText } from '../../base/format.ts';
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

/** Places in the palette of charts, so that a part has the colour of its events on the timeline. */
const PATH_COLOURS: Readonly<Record<string, number>> = {
  kernel: 0,
  collective: 1,
  copy: 2,
  launch: 3,
  'host-work': 4,
  'data-loading': 5,
  'sync-overhead': 6,
  'host-gap': 8,
  unexplained: 9,
};
const DEVICE_COLOURS: Readonly<Record<string, number>> = {
  computation: 0,
  communication: 1,
  copy: 2,
  'computation + communication': 4,
  'computation + copy': 3,
  'communication + copy': 6,
};
/** Of all that has none: gaps, and what is rare. Those behind it are greys too, of this page only. */
const GREY = 7;

/** Rows that are drawn at most: the table has all. */
const DRAWN = 60;

interface Part {
  readonly name: string;
  readonly colour: number;
}

/** Parts that occur nowhere are left out; grey ones stand last. */
function chartOf(id: string, parts: readonly Part[], rows: PageChart['rows']): PageChart {
  const used = parts
    .map((_, at) => at)
    .filter((at) => rows.some(({ values }) => values[at] > 0))
    .sort((a, b) => Number(parts[a].colour >= GREY) - Number(parts[b].colour >= GREY) || a - b);
  return {
    id,
    unit: 'ns',
    parts: used.map((at) => parts[at]),
    rows: rows
      .slice(0, DRAWN)
      .map(({ label, values }) => ({ label: escapeText(label), values: used.map((at) => values[at]) })),
    total: rows.length,
  };
}

/** A bar a window, its parts in the order of `kinds`. */
export function pathChart(windows: readonly WindowPath[], kinds: readonly string[]): PageChart {
  const parts = kinds.map((name) => ({ name, colour: PATH_COLOURS[name] ?? GREY }));
  return chartOf(
    'path',
    parts,
    windows.map(({ label, byKind }) => ({ label, values: [...byKind] })),
  );
}

/** What a device did: alone or at once, and when it was idle. Σ of a row is the window's length. */
export function deviceChart({ windows }: Pick<BreakdownResult, 'windows'>, device: number): PageChart {
  const nameOf = (classes: readonly string[]): string => classes.join(' + ');
  const rows = windows.map(({ label, devices }) => ({ label, parts: devices.find((each) => each.device === device) }));
  const names = [
    ...new Set(rows.flatMap(({ parts }) => parts?.combinations.map(({ classes }) => nameOf(classes)) ?? [])),
  ];
  const parts = [...names.map((name) => ({ name, colour: DEVICE_COLOURS[name] ?? 5 })), { name: 'idle', colour: GREY }];
  return chartOf(
    `device-${device}`,
    parts,
    rows.map(({ label, parts: own }) => ({
      label,
      values: [
        ...names.map((name) => own?.combinations.find(({ classes }) => nameOf(classes) === name)?.totalNs ?? 0),
        own?.idleNs ?? 0,
      ],
    })),
  );
}
