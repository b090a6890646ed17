import { escapeText, formatCount, formatDur, formatPlural, formatShare } from '../../../base/format.ts';
import type { HealthPanel as Health } from '../../../protocol/calls.ts';
import { isSearchable } from '../../timeline/search.ts';
import type { Model } from '../model.ts';

/** What is in the file, what is damaged, and how much of its dependencies is known. */
export function HealthPanel({ model, health }: { readonly model: Model; readonly health: Health }) {
  const { info, meaning, coverage, notes } = health;
  const [rank] = info.ranks;
  return (
    <div class="health scroll" role="region" aria-label="Data health" tabIndex={0}>
      <section>
        <h3>The file</h3>
        {rank === undefined ? null : (
          <dl class="facts">
            <dt>rows</dt>
            <dd>{formatCount(rank.events)}</dd>
            <dt>span</dt>
            <dd>{formatDur(rank.spanNs)}</dd>
            <dt>devices</dt>
            <dd>
              {rank.devices
                .map(({ id, name }) => `${id}${name === undefined ? '' : ` (${escapeText(name)})`}`)
                .join(', ') || 'none'}
            </dd>
            <dt>streams, threads</dt>
            <dd>
              {formatCount(rank.streams)}, {formatCount(rank.threads)}
            </dd>
            <dt>steps</dt>
            <dd>
              {formatCount(rank.steps.length)}, {formatCount(rank.steps.filter(({ complete }) => complete).length)}{' '}
              complete
            </dd>
            {Object.entries(rank.categories).map(([category, count]) => (
              <>
                <dt>{escapeText(category) || 'no category'}</dt>
                <dd>
                  {isSearchable(category) ? (
                    <button type="button" class="link" onClick={() => (model.query.value = `cat:${category}`)}>
                      {formatPlural(count, 'row')}
                    </button>
                  ) : (
                    formatPlural(count, 'row')
                  )}
                </dd>
              </>
            ))}
          </dl>
        )}
      </section>
      <section>
        <h3>Damage</h3>
        {info.diagnostics.length === 0 ? (
          <p>None: each row could be read, and nothing in them contradicts itself.</p>
        ) : null}
        <ul>
          {info.diagnostics.map(({ kind, count, firstByteOffset }) => (
            <li key={kind}>
              <b>{kind}</b>, {formatCount(count)} times, first at byte {formatCount(firstByteOffset)}: {meaning[kind]}
            </li>
          ))}
        </ul>
      </section>
      <section>
        <h3>What is known of the dependencies</h3>
        {coverage.status === 'ok' ? (
          <CoverageView coverage={coverage.result} />
        ) : (
          <p>There is no path: {escapeText(coverage.reason)}.</p>
        )}
      </section>
      <section>
        <h3>Notes</h3>
        {notes.length === 0 && (rank?.notes.length ?? 0) === 0 ? <p>None.</p> : null}
        <ul>
          {[...new Set([...(rank?.notes ?? []), ...notes])].map((note) => (
            <li key={note}>{escapeText(note)}</li>
          ))}
        </ul>
      </section>
    </div>
  );
}

function CoverageView({ coverage }: { readonly coverage: (Health['coverage'] & { status: 'ok' })['result'] }) {
  const { launches, deviceOps, waits, inferred, collectives, inversions, ambiguous } = coverage;
  const part = (some: number, all: number): string =>
    all === 0 ? 'none there' : `${formatCount(some)} of ${formatCount(all)} (${formatShare(some / all)})`;
  const guessed = Object.values(inferred).reduce((sum, count) => sum + count, 0);
  return (
    <dl class="facts">
      <dt>launches with their device op</dt>
      <dd>{part(launches.linked, launches.total)}</dd>
      <dt>device ops with their launch</dt>
      <dd>{part(deviceOps.linked, deviceOps.total)}</dd>
      <dt>waits that are understood</dt>
      <dd>{part(waits.resolved + waits.empty + waits.sameStream + waits.noSink, waits.total)}</dd>
      <dt>waits by a guess</dt>
      <dd>{formatCount(waits.heuristic)}</dd>
      <dt>waits not resolved</dt>
      <dd>{formatCount(waits.unresolved + waits.future)}</dd>
      <dt>waits inferred from gaps</dt>
      <dd>{formatCount(guessed)}</dd>
      <dt>collectives matched with other ranks</dt>
      <dd>{part(collectives.matched, collectives.total)}</dd>
      <dt>close calls</dt>
      <dd>{formatCount(ambiguous)}</dd>
      <dt>effects before their cause</dt>
      <dd>
        {formatCount(inversions.count)}
        {inversions.count === 0 ? '' : `, by ${formatDur(inversions.maxNs)} at most`}
      </dd>
    </dl>
  );
}
