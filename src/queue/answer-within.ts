import { PipelineError, reasonOf, systemCode } from '../kernel/errors.ts';

/**
 * The answer of the queue's server, or QUEUE_UNREACHABLE when it fails or takes longer than `limitMs`. What is not
 * answered in time may still happen later, which does no harm: a job says "have a look" and nothing more.
 * @param action what is being done, with its object, for the message: `add the job "submit-…"`
 */
export async function answerWithin<Answer>(limitMs: number, action: string, answer: Promise<Answer>): Promise<Answer> {
  const late = failAfter(limitMs);
  try {
    return await Promise.race([answer, late.failure]);
  } catch (error) {
    throw new PipelineError('QUEUE_UNREACHABLE', action, shortReason(error), { cause: error });
  } finally {
    late.cancel();
  }
}

function failAfter(limitMs: number): { failure: Promise<never>; cancel(): void } {
  let timer: NodeJS.Timeout | undefined;
  const failure = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${limitMs} ms`)), limitMs);
  });
  return { failure, cancel: () => clearTimeout(timer) };
}

/** Node reports a refused connection to a name with several addresses with a code and no message at all. */
function shortReason(error: unknown): string {
  return reasonOf(error).replace(/\.$/, '') || (systemCode(error) ?? 'no reason given');
}
