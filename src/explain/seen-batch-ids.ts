import type { InDoubt } from '../ledger/doubt/in-doubt.ts';

/** Returns the service's batch ids seen after the verdict or in a broken answer. Detached ones are left out. */
export function seenBatchIds({ attempts, lateAnswers }: Pick<InDoubt, 'attempts' | 'lateAnswers'>): string[] {
  const disowned = new Set(lateAnswers.map(({ evidence }) => evidence['disownedBatchId']));
  const late = lateAnswers.map(({ evidence }) => evidence['batchId']);
  const broken = attempts.map(({ evidence }) => namedBatchId(evidence?.['answerText']));
  const seen = [...late, ...broken].filter((id): id is string => typeof id === 'string' && !disowned.has(id));
  return [...new Set(seen)];
}

/** Reads the id that the gateway puts in front of a broken answer. */
function namedBatchId(answerText: unknown): string | undefined {
  return typeof answerText === 'string' ? /^BATCHID (\S{1,40}): /.exec(answerText)?.[1] : undefined;
}
