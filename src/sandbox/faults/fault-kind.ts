import type { WireOperation } from '../../../schemas/wire.ts';
import type { Reply } from '../reply.ts';
import type { SoapVersion } from '../soap/write-envelope.ts';
import type { Step } from './steps.ts';

/** One way in which the service or the network can fail. Each is a row of `fault-kinds.ts`. */
export type FaultKind = {
  /** One sentence for people. */
  readonly about: string;
  /** Whether the call is booked, though its answer does not say so: `before` the fault strikes, or `never`. */
  readonly books: 'before' | 'never';
  /** How long `delayMs` is when the plan does not say; a kind without it takes no delay. */
  readonly delayMs?: number;
} /** At once, when it is planned. */ & (
  | { readonly strikes: 'planned' }
  | {
      /**
       * `accept` when a connection comes in; `first-byte` with the first byte on it; `head` when the
       * head of a request has been read; `half-body` when half of its body has.
       */
      readonly strikes: 'accept' | 'first-byte' | 'head' | 'half-body';
      readonly act: () => readonly Step[];
    }
  /** The whole request has been read and nothing is done for it. */
  | { readonly strikes: 'request'; readonly act: (call: StruckCall) => readonly Step[] }
  /** The call has been answered, and its answer does not leave as it is. */
  | {
      readonly strikes: 'answer';
      /** What there must be; calls without it pass and are not counted. */
      readonly needs?: FaultNeed;
      readonly act: (reply: Reply, call: StruckCall) => readonly Step[];
    }
);

/** The answer carries a result file, or the account has another batch. */
export type FaultNeed = 'result-file' | 'earlier-batch';

/** The call that a fault strikes. */
export type StruckCall = {
  /** As it was asked for, without the query. */
  readonly path: string;
  readonly version: SoapVersion;
  /** The request element. */
  readonly element: string;
  /** Undefined for a call that names none. */
  readonly operation: WireOperation | undefined;
  /** Id of the batch that the account submitted before. */
  readonly earlierBatchId: string | undefined;
  /** Of the plan, or else of the kind. */
  readonly delayMs: number;
};
