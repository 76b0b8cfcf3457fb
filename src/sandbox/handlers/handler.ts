import type { Server } from '../../../schemas/operations.ts';
import type { WireField, WireOperation } from '../../../schemas/wire.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import type { Books } from '../books/open-books.ts';
import type { Parameters } from '../soap/read-parameters.ts';
import type { Answer } from '../soap/write-envelope.ts';

/**
 * How one operation is answered. To serve another operation, write one of these and add it to the table in
 * `handlers.ts`: the WSDL, the help page and the routing follow from the table.
 */
export type Handler = {
  /** Elements without which the service stumbles over a null reference. */
  readonly needs: readonly WireField[];
  /** The payload beside the error text when a call failed. */
  readonly failurePayload: string;
  /** The payload of an answer to a wrong agent code or password. */
  readonly badLoginPayload: string;
  /** The error text beside it, where a wrong login is a failure. */
  readonly badLoginError?: string;
  readonly answer: (call: Call, desk: Desk) => Answer | Promise<Answer>;
};

/** A call that has passed the login, has all that it needs, and may be made on this server. */
export type Call = {
  readonly operation: WireOperation;
  readonly account: Account;
  readonly parameters: Parameters;
  /** Whether it was asked by the names of version 1, whose answers hold an element more. */
  readonly isFirstVersion: boolean;
};

/** A merchant account. One without a server is answered as on both. */
export type Account = { readonly agentCode: string; readonly password: string; readonly server?: Server };

/** What the sandbox works with. */
export type Desk = {
  readonly accounts: readonly Account[];
  readonly books: Books;
  readonly clock: Clock;
  readonly log: Log;
  /** A batch is done this long after it was taken. */
  readonly batchDelayMs: number;
  readonly maxRows: number;
  /** Whether a card row that was charged before is answered as a duplicate. */
  readonly cardDuplicates: boolean;
  /** Whether more may be paid back than was charged. */
  readonly refundsMayExceed: boolean;
  /** Whether a bank charge can only be paid back once the bank has accepted it. */
  readonly refundsNeedSettlement: boolean;
  /** Whether a text that is too long is cut without a word instead of refused. */
  readonly cutsLongValues: boolean;
};
