import { PipelineError, reasonOf } from '../kernel/errors.ts';
import type { Failure } from './thread-messages.ts';

/** An error as it may leave a thread: of one of ours its code and its words, of another its message. Never its cause. */
export function packFailure(error: unknown): Failure {
  const stack = error instanceof Error && error.stack !== undefined ? { stack: error.stack } : {};
  return { message: reasonOf(error), ...stack, ...(error instanceof PipelineError && { code: error.code }) };
}

/** The same error on the other side. */
export function unpackFailure({ message, code, stack }: Failure): Error {
  const error = code === undefined ? new Error(message) : carried(code, message);
  if (stack !== undefined) error.stack = stack;
  return error;
}

/** The message is whole already, so it takes the place of the one that is made of its parts. */
function carried(code: NonNullable<Failure['code']>, message: string): PipelineError {
  const error = new PipelineError(code, 'do it');
  error.message = message;
  return error;
}
