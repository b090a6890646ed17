import type { Outcome } from '../analyses/contract.ts';
import type { Result } from '../base/result.ts';
import type { ReadError } from '../ingest/read-error.ts';

/** Why a question has no answer on this trace. */
export type NotApplicable = Extract<Outcome<never>, { readonly status: 'not-applicable' }>;

/** What `unwrap` throws: a trace that cannot be read, or a question that does not apply to it. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
  /** What was there instead: a read error has a `code`, a question that does not apply a `reason`. */
  override readonly cause: ReadError | NotApplicable;

  constructor(cause: ReadError | NotApplicable) {
    super(
      'reason' in cause ? cause.reason : [cause.message, ...(cause.hint === undefined ? [] : [cause.hint])].join('; '),
    );
    this.cause = cause;
  }
}

/**
 * The trace of a `Result`, or the result of an `Outcome`, for scripts that can do nothing without it.
 *
 * @throws NoAnswerError where there is none; its `cause` says why.
 */
export function unwrap<T>(answer: Result<T, ReadError> | Outcome<T>): T {
  if ('status' in answer) {
    if (answer.status === 'ok') return answer.result;
    throw new NoAnswerError(answer);
  }
  if (answer.ok) return answer.value;
  throw new NoAnswerError(answer.error);
}
