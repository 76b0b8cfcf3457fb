import type { ErrorCode } from '../../schemas/errors.ts';
import { PipelineError, reasonOf } from '../kernel/errors.ts';

/** A message to a thread. `task` identifies the task by number. */
export type ToThread =
  | { readonly kind: 'run'; readonly task: number; readonly module: string; readonly order: unknown }
  /** The item was taken, so one more may be made. */
  | { readonly kind: 'taken'; readonly task: number }
  | { readonly kind: 'stop'; readonly task: number };

/** A message back. Errors lose their class in transit, so they are packed there and unpacked here. */
export type FromThread =
  | { readonly kind: 'item'; readonly task: number; readonly item: unknown }
  | { readonly kind: 'done'; readonly task: number; readonly result: unknown }
  | { readonly kind: 'failed'; readonly task: number; readonly failure: Failure };

type Failure = { readonly message: string; readonly code?: ErrorCode; readonly stack?: string };

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
