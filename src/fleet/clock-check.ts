import type { Clocks, Meeting } from './model.ts';
import { medianOf } from './shift.ts';
import type { CallFinder } from './symmetric.ts';

/** Does a call end before something that it needs? By more than the clocks may be off, the fit or the match is wrong. */
export interface CausalityCheck {
  /** Ends that were compared with the last arrival, or with the start on the other side. */
  readonly checked: number;
  readonly violated: number;
  /** The most by which an end came too early, ns; 0 without any. */
  readonly worstNs: number;
  /** Ends of symmetric calls, from the middle of their call's ends, ns: half of them are at most so far from it, and none is farther. */
  readonly medianResidualNs: number;
  readonly largestResidualNs: number;
}

export function checkCausality(finder: CallFinder, meetings: readonly Meeting[], clocks: Clocks): CausalityCheck {
  const { offsetNs, driftPpm, component, uncertaintyNs } = clocks;
  const inJob = (place: number, ns: number): number => ns + offsetNs[place] + driftPpm[place] * 1e-6 * ns;
  const residuals: number[] = [];
  let [checked, violated, worstNs] = [0, 0, 0];
  for (const meeting of meetings) {
    const isSymmetric = finder.isSymmetric(meeting);
    const members = meeting.members.map((member) => {
      const place = finder.placeOf(member.rank);
      const { startNs, endNs } = finder.callOf(member);
      return { role: member.role, place, start: inJob(place, startNs), end: inJob(place, endNs) };
    });
    const needed = isSymmetric
      ? members.reduce((later, each) => (each.start > later.start ? each : later))
      : members.find(({ role }) => role === 'send' || (role === 'root' && meeting.op === 'broadcast'));
    if (needed === undefined) continue;
    for (const { place, end } of members) {
      if (place === needed.place || component[place] !== component[needed.place]) continue;
      checked++;
      const early = needed.start - end;
      if (early <= 0 || early <= uncertaintyNs(place, needed.place)) continue;
      violated++;
      worstNs = Math.max(worstNs, early);
    }
    if (!isSymmetric) continue;
    const middle = medianOf(members.map(({ end }) => end));
    for (const { end } of members) residuals.push(Math.abs(end - middle));
  }
  let largestResidualNs = 0;
  for (const each of residuals) largestResidualNs = Math.max(largestResidualNs, each);
  return {
    checked,
    violated,
    worstNs,
    medianResidualNs: residuals.length === 0 ? 0 : medianOf(residuals),
    largestResidualNs,
  };
}
