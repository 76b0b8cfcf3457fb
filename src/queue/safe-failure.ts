import { UnrecoverableError } from 'bullmq';
import { PipelineError, reasonOf, systemCode } from '../kernel/errors.ts';

/** Stands in the queue for every error that paydrop did not write itself. */
export const FOREIGN_FAILURE = 'The job failed with an unforeseen error. The log of the process says more.';

/**
 * What the queue may keep of an error: the message of a PipelineError, which never holds data, or a fixed sentence. A
 * foreign message may quote the request that it failed on.
 *
 * UnrecoverableError also keeps BullMQ from trying again when a job was stored with other options than ours, and it
 * hides names such as DelayedError, by which BullMQ would take a failure for a wish to run later.
 */
export function safeFailure(error: unknown): Error {
  const failure = new UnrecoverableError(error instanceof PipelineError ? error.message : FOREIGN_FAILURE);
  // BullMQ stores the stack of what it is thrown, unless there is none.
  failure.stack = '';
  return failure;
}

/**
 * What the log may say of an error. Parsers quote their input in their messages, so runs of digits in a foreign message
 * are hidden; the place in the code stands beside it, because without a stack it could not be found.
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
