import { handClock } from '../../../src/kernel/clock.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import { openBooks } from '../../../src/sandbox/books/open-books.ts';
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
