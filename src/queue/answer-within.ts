import { PipelineError, reasonOf, systemCode } from '../kernel/errors.ts';

/**
 * The answer of the queue's server, or QUEUE_UNREACHABLE when it fails or takes longer than `limitMs`. What is not
 * answered in time may still happen later, which does no harm: a job says "have a look" and nothing more.
 * @param action what is being done, with its object, for the message: `add the job "submit-…"`
 * @param readCause what the connection itself has reported a moment ago, such as a wrong password
 */
export async function answerWithin<Answer>(
  limitMs: number,
  action: string,
  answer: Promise<Answer>,
  readCause: () => string | undefined = () => undefined,
): Promise<Answer> {
  const late = failAfter(limitMs);
  try {
    return await Promise.race([answer, late.failure]);
  } catch (error) {
    throw new PipelineError('QUEUE_UNREACHABLE', action, tellReason(error, readCause()), { cause: error });
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

/** What Redis's client and our own limit say when they know nothing of the cause. */
const CAUSELESS = /^(Stream isn't writeable|Connection is closed|no answer within)/;

function tellReason(error: unknown, cause: string | undefined): string {
  const reason = shortReason(error);
  return cause !== undefined && CAUSELESS.test(reason) ? cause.replace(/\.$/, '') : reason;
}

/** Node reports a refused connection to a name with several addresses with a code and no message at all. */
export function shortReason(error: unknown): string {
  return reasonOf(error).replace(/\.$/, '') || (systemCode(error) ?? 'no reason given');
}
