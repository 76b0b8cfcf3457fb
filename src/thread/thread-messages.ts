import type { ErrorCode } from '../../schemas/errors.ts';

/** What goes to a thread. A task is told apart by its number. */
export type ToThread =
  | { readonly kind: 'run'; readonly task: number; readonly module: string; readonly order: unknown }
  /** The item that came was taken, so one more may be made. */
  | { readonly kind: 'taken'; readonly task: number }
  /** Nobody takes the rest. */
  | { readonly kind: 'stop'; readonly task: number };

/** What comes back. Errors lose their class on the way, so they are taken apart here and put together there. */
export type FromThread =
  | { readonly kind: 'item'; readonly task: number; readonly item: unknown }
  | { readonly kind: 'done'; readonly task: number; readonly result: unknown }
  | { readonly kind: 'failed'; readonly task: number; readonly failure: Failure };

export type Failure = { readonly message: string; readonly code?: ErrorCode; readonly stack?: string };
