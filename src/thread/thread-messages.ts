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

/** How many items a thread may make before the first is taken: one is in transit while the next is made. */
export const ITEMS_AHEAD = 2;

/**
 * Returns memory for the bytes of items, visible to both threads. A few buffers take turns, so each is overwritten only
 * after its item was taken. Take at most one buffer per item.
 *
 * Transferring bytes would cost more. Once any memory was taken from a thread, V8 checks every access to any byte array
 * there, for the rest of its life. Everything that reads bytes then takes a fifth longer.
 */
export function lentMemory(): (bytes: number) => Uint8Array {
  const pieces = Array.from({ length: ITEMS_AHEAD }, (): Uint8Array => new Uint8Array(0));
  let turn = 0;
  return (bytes) => {
    turn = (turn + 1) % ITEMS_AHEAD;
    if (pieces[turn]!.length < bytes) pieces[turn] = new Uint8Array(new SharedArrayBuffer(Math.ceil(bytes * ROOM)));
    return pieces[turn]!.subarray(0, bytes);
  };
}

/** Items have similar sizes, so the first buffer mostly fits them all. */
const ROOM = 1.25;
