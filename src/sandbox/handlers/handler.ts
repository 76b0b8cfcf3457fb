import type { FieldName } from '../../../schemas/fields.ts';
import type { OperationName, Server } from '../../../schemas/operations.ts';
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
  /** Elements without which the service stumbles over a null reference (gateway wire 2.6). */
  readonly needs: readonly FieldName[];
  /** The payload beside the error text when a call failed. */
  readonly failurePayload: string;
  /** The payload of an answer to a wrong agent code or password. */
  readonly badLoginPayload: string;
  readonly answer: (call: Call, desk: Desk) => Answer | Promise<Answer>;
};

/** A call that has passed the login, has all that it needs, and may be made on this server. */
export type Call = {
  readonly operation: OperationName;
  readonly account: Account;
  readonly parameters: Parameters;
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
};
