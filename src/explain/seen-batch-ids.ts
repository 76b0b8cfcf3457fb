import type { InDoubt } from '../ledger/doubt/in-doubt.ts';

/** Batch ids of the service that were seen for the batch, after its verdict or in an answer that broke. */
export function seenBatchIds({ attempts, lateAnswers }: Pick<InDoubt, 'attempts' | 'lateAnswers'>): string[] {
  const disowned = new Set(lateAnswers.map(({ evidence }) => evidence['disownedBatchId']));
  const late = lateAnswers.map(({ evidence }) => evidence['batchId']);
  const broken = attempts.map(({ evidence }) => namedBatchId(evidence?.['answerText']));
  const seen = [...late, ...broken].filter((id): id is string => typeof id === 'string' && !disowned.has(id));
  return [...new Set(seen)];
}

/** The gateway puts an id that stands in a broken answer in front of it. */
function namedBatchId(answerText: unknown): string | undefined {
  return typeof answerText === 'string' ? /^BATCHID (\S{1,40}): /.exec(answerText)?.[1] : undefined;
}
