import { OWN } from '../../graph/constraint-set.ts';
import { type ChainContext, kindOf, ruleOf } from './chain.ts';
import type { ArrivedRival, Rival } from './result.ts';
import { detailOf, edgeBehind, edgesInto, guessOf } from './waits.ts';

/** What else a moment had to wait for: the constraints that did not bind, the nearest first, then waits that came to nothing. */
export function rivalsOf({ graph, places }: ChainContext, moment: number): Rival[] {
  const { binding, constraints, time, lag } = graph;
  const { first, from, kind } = constraints;
  const name = places.momentName(moment);
  const arrived: ArrivedRival[] = [];
  for (let c = first[moment]; c < first[moment + 1]; c++) {
    if (c === binding[moment]) continue;
    const edge = edgeBehind(graph, c);
    const sourceNs = time[from[c]];
    arrived.push({
      status: sourceNs > time[moment] ? 'inverted' : 'arrived',
      moment: name,
      kind: kind[c] === OWN ? 'own-length' : kindOf(graph, c),
      source: places.placed(places.eventOfMoment(from[c])),
      sourceMoment: places.momentName(from[c]),
      sourceNs,
      arrivalNs: sourceNs + lag[c],
      slackNs: time[moment] - sourceNs - lag[c],
      ...(edge === undefined ? ruleOf(graph, c) : guessOf(edge)),
      ...(edge === undefined ? {} : { wait: detailOf(graph, places, edge) }),
    });
  }
  arrived.sort((a, b) => a.slackNs - b.slackNs || a.source.event - b.source.event);
  const idle = edgesInto(graph, moment).flatMap((edge): Rival[] => {
    switch (edge.status) {
      case 'empty':
      case 'same-stream':
      case 'unresolved':
      case 'future':
        return [{ status: edge.status, moment: name, kind: edge.kind, wait: detailOf(graph, places, edge) }];
      default:
        return [];
    }
  });
  return [...arrived, ...idle];
}
