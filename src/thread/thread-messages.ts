import type { ErrorCode } from '../../schemas/errors.ts';

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

export type Failure = { readonly message: string; readonly code?: ErrorCode; readonly stack?: string };
