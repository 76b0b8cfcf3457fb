import { handClock } from '../../../src/kernel/clock.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import { openBooks } from '../../../src/sandbox/books/open-books.ts';
import { type Customer, newCustomer } from '../../../src/sandbox/customers/customer.ts';
import type { Account, Call, HandlerContext } from '../../../src/sandbox/handlers/handler.ts';
import { readParameters } from '../../../src/sandbox/soap/read-parameters.ts';

export const ACCOUNT: Account = { agentCode: 'TEST88', password: 'TEST88' };

/** Makes a context with empty books in memory and a clock that stands still. */
export async function makeContext(settings: Partial<HandlerContext> = {}) {
  const clock = handClock('2026-06-15T10:00:00Z');
  const context: HandlerContext = {
    accounts: [ACCOUNT],
    books: await openBooks(undefined),
    clock,
    log: silentLog(),
    batchDelayMs: 1000,
    maxRows: 10_000,
    cardDuplicates: true,
    refundsMayExceed: false,
    refundsNeedSettlement: false,
    cutsLongValues: false,
    ...settings,
  };
  return { context, clock };
}

/** Returns a call that has passed all checks. */
export function makeCall(operation: Call['operation'], fields: Record<string, string>, account = ACCOUNT): Call {
  const parameters = readParameters(operation, new Map(Object.entries(fields)));
  if ('fault' in parameters) throw new Error(parameters.fault);
  return { operation, account, parameters, isFirstVersion: false };
}

/** Returns a card record as a charge creates it. */
export function sampleCustomer(change: Partial<Parameters<typeof newCustomer>[0]> = {}): Customer {
  return newCustomer({
    code: 'A10000001',
    kind: 'card',
    createdAt: '2017-06-15T10:00:00.000Z',
    holder: 'Ada Byron',
    number: '4222222222222220',
    method: 'VISA',
    expiry: '12/20',
    textOf: () => undefined,
    ...change,
  });
}
