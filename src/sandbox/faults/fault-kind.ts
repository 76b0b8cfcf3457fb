import type { WireOperation } from '../../../schemas/wire.ts';
import type { Reply } from '../reply.ts';
import type { SoapVersion } from '../soap/write-envelope.ts';
import type { Step } from './play-steps.ts';

/** One way the service or the network can fail; each is a row of `fault-kinds.ts`. */
export type FaultKind = {
  /** One sentence for users. */
  readonly about: string;
  /** Whether the call is booked `before` the fault strikes, or `never`. The answer does not say. */
  readonly books: 'before' | 'never';
  /** Default of the plan's `delayMs`; a kind without it takes no delay. */
  readonly delayMs?: number;
} /** Strikes as soon as it is planned. */ & (
  | { readonly strikes: 'planned' }
  | {
      /**
       * `accept`: on a new connection. `first-byte`: on its first byte. `head`: after the request head. `half-body`:
       * after half of the body.
       */
      readonly strikes: 'accept' | 'first-byte' | 'head' | 'half-body';
      readonly act: () => readonly Step[];
    }
  /** Strikes after the whole request was read; the call is not served. */
  | { readonly strikes: 'request'; readonly act: (call: StruckCall) => readonly Step[] }
  /** Strikes after the call was answered, and changes the answer. */
  | {
      readonly strikes: 'answer';
      /** A precondition; calls that do not meet it pass and are not counted. */
      readonly needs?: FaultNeed;
      readonly act: (reply: Reply, call: StruckCall) => readonly Step[];
    }
);

/** The answer carries a result file, or the account has submitted an earlier batch. */
export type FaultNeed = 'result-file' | 'earlier-batch';

/** The call that a fault strikes. */
export type StruckCall = {
  /** As requested, without the query. */
  readonly path: string;
  readonly version: SoapVersion;
  /** Name of the request element. */
  readonly element: string;
  /** Undefined when the call names none. */
  readonly operation: WireOperation | undefined;
  /** Id of the account's previous batch. */
  readonly earlierBatchId: string | undefined;
  /** From the plan, else from the kind. */
  readonly delayMs: number;
};
