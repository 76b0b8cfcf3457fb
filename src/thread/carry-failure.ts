import { PipelineError, reasonOf } from '../kernel/errors.ts';
import type { Failure } from './thread-messages.ts';

/** Packs an error that leaves a thread: its message, its stack and, if it is ours, its code. Never its cause. */
export function packFailure(error: unknown): Failure {
  const stack = error instanceof Error && error.stack !== undefined ? { stack: error.stack } : {};
  return { message: reasonOf(error), ...stack, ...(error instanceof PipelineError && { code: error.code }) };
}

/** Rebuilds the error on the other side. */
export function unpackFailure({ message, code, stack }: Failure): Error {
  const error = code === undefined ? new Error(message) : carried(code, message);
  if (stack !== undefined) error.stack = stack;
  return error;
}

/** The message is already complete, so it replaces the one built from the parts. */
function carried(code: NonNullable<Failure['code']>, message: string): PipelineError {
  const error = new PipelineError(code, 'do it');
  error.message = message;
  return error;
}
