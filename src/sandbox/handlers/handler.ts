import type { Server } from '../../../schemas/operations.ts';
import type { WireField, WireOperation } from '../../../schemas/wire.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import type { Books, Decision } from '../books/open-books.ts';
import type { StrictRule } from '../../../schemas/sandbox/strict-rules.ts';
import type { Parameters } from '../soap/read-parameters.ts';
import type { Answer } from '../soap/write-envelope.ts';

/**
 * How one operation is answered. To serve another operation, write a handler and add it to the table in `handlers.ts`.
 * The WSDL, the help page and the routing follow from the table.
 */
export type Handler = {
  /** Elements without which the service fails with a null reference. */
  readonly needs: readonly WireField[];
  /** Payload beside the error text of a failed call. */
  readonly failurePayload: string;
  /** Payload of the answer to a wrong agent code or password. */
  readonly badLoginPayload: string;
  /** Error text beside it, where a wrong login is a failure. */
  readonly badLoginError?: string;
  readonly answer: (call: Call, context: HandlerContext) => Answer | Promise<Answer>;
};

/** A call that has passed the login, has all needed elements, and is allowed on this server. */
export type Call = {
  readonly operation: WireOperation;
  readonly account: Account;
  readonly parameters: Parameters;
  /** Whether the call used the names of version 1, whose answers hold one more element. */
  readonly isFirstVersion: boolean;
};

/** A merchant account. Without a server, it is served as on both. */
export type Account = { readonly agentCode: string; readonly password: string; readonly server?: Server };

/** What the handlers work with. Except for books and clock, these are options of the sandbox. */
export type HandlerContext = {
  /** TEST88 with the password TEST88 on both servers when omitted. */
  readonly accounts: readonly Account[];
  readonly books: Books;
  readonly clock: Clock;
  readonly log: Log;
  /** How long after its arrival a batch is done; 1,000 ms when omitted. */
  readonly batchDelayMs: number;
  /** Most rows of a batch; 10,000 when omitted. */
  readonly maxRows: number;
  /** Whether a card row that was charged before is answered as a duplicate; true when omitted. */
  readonly cardDuplicates: boolean;
  /** Whether refunds may exceed the charge, for any card or account; false when omitted. */
  readonly refundsMayExceed: boolean;
  /** Whether a bank charge can be refunded only after the bank has accepted it; false when omitted. */
  readonly refundsNeedSettlement: boolean;
  /** Whether an overlong text is silently cut instead of refused; false when omitted. */
  readonly cutsLongValues: boolean;
  /** Takes the rejection planned for the next payment of an operation: `REJECT: n`, or undefined. */
  readonly takeRejection?: (operation: WireOperation | 'recurring') => string | undefined;
  /** Whether the rules of the specification are applied that no public client breaks with success; true when omitted. */
  readonly strict: boolean;
  /** Rules that are not applied although the sandbox is strict; none when omitted. */
  readonly allow: readonly StrictRule[];
  /** The day by which expiries are judged; that of the clock when omitted. */
  readonly cardsValidAt?: Date;
  /** Whether old cards of the public PHP suite are good with its dates; false when omitted. */
  readonly publicSuites?: boolean;
};

/** Makes a decision with the books at hand, at the present moment. Its answer is the payload. */
export async function decideNow({ books, clock }: HandlerContext, decision: (now: Date) => Decision<string>) {
  const now = clock.now();
  return { payload: await books.decide(() => decision(now)) };
}
