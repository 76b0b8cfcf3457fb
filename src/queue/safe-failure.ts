import { UnrecoverableError } from 'bullmq';
import { PipelineError, reasonOf, systemCode } from '../kernel/errors.ts';

/** Replaces, in the queue, every error message that paydrop did not write itself. */
export const FOREIGN_FAILURE = 'The job failed with an unexpected error. See the log of the process.';

/**
 * Returns what the queue may keep of an error: the message of a PipelineError, which never holds data, or a fixed
 * sentence. A foreign message may quote the request that failed.
 *
 * UnrecoverableError also keeps BullMQ from retrying a job that was stored with other options than ours. It hides names
 * such as DelayedError, which BullMQ would take as a request to run later.
 */
export function safeFailure(error: unknown): Error {
  const failure = new UnrecoverableError(error instanceof PipelineError ? error.message : FOREIGN_FAILURE);
  // BullMQ stores the stack of an error unless it is empty.
  failure.stack = '';
  return failure;
}

/**
 * Describes an error for the log. Parsers quote their input, so runs of digits in a foreign message are hidden. Without
 * a stack the place in the code could not be found, so `at` gives it.
 */
export function describeFailure(error: unknown): { code: string | undefined; reason: string; at?: string | undefined } {
  if (error instanceof PipelineError) return { code: error.code, reason: error.message };
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  return {
    code: systemCode(error),
    reason: reasonOf(error)
      .replace(/\d{4,}/g, '[digits]')
      .slice(0, 300),
    at: /^ {4}at .*/m.exec(stack)?.[0].trim(),
  };
}
