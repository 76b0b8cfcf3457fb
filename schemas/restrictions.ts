import { OPERATIONS, type OperationName, type Server } from './operations.ts';

/**
 * Which server offers what. Our client runs the check before anything leaves. The two messages are the service's own
 * words and replace the call.
 */
export const RESTRICTION_MESSAGES = {
  server: 'Service cannot be used on this server.',
  currency: 'Service cannot be used with this Method of Payment or Currency.',
} as const;

export const CURRENCIES = ['USD', 'CAD', 'GBP', 'EUR'] as const;
export type Currency = (typeof CURRENCIES)[number];

/** Methods of payment per server, as written in a batch file. */
export const SERVER_MOPS = {
  NA: ['VISA', 'MC', 'AMX', 'DSC'],
  UK: ['VISA', 'MC', 'AMX', 'MAESTR'],
} as const satisfies Record<Server, readonly string[]>;

/**
 * Methods of payment per server and currency. The spec mentions the service's list without giving it. This one is known
 * from public clients, with MAESTR (the spec) beside MAESTRO (their table).
 */
export const CURRENCY_MOPS: Record<Server, Partial<Record<Currency, readonly string[]>>> = {
  NA: {
    USD: ['VISA', 'MC', 'AMX', 'DSC', 'VISA DEBIT', 'MC DEBIT'],
    CAD: ['VISA', 'MC', 'AMX', 'VISA DEBIT'],
  },
  UK: {
    GBP: ['VISA', 'MC', 'AMX', 'MAESTR', 'MAESTRO', 'VISA DEBIT'],
    EUR: ['VISA', 'MC', 'AMX', 'VISA DEBIT'],
  },
};

/**
 * Runs the service's restriction check in its order: the server first, then currency and method of payment. The second
 * part applies when both are given or the operation requires it.
 * @returns the message to answer with, or undefined when the call is allowed
 */
export function findRestriction(call: {
  operation: OperationName;
  server: Server;
  currency?: string | undefined;
  mop?: string | undefined;
}): string | undefined {
  const row = OPERATIONS[call.operation];
  const servers: readonly Server[] = row.servers;
  if (!servers.includes(call.server)) return RESTRICTION_MESSAGES.server;
  const bothGiven = Boolean(call.currency) && Boolean(call.mop);
  if (!bothGiven && !row.checksCurrency) return undefined;
  return acceptsMop(call.server, call.currency, call.mop) ? undefined : RESTRICTION_MESSAGES.currency;
}

/** Returns whether a server takes a method of payment in a currency. Exact and case-sensitive, as in the service. */
export function acceptsMop(server: Server, currency: string | undefined, mop: string | undefined): boolean {
  const known = CURRENCIES.find((name) => name === currency);
  const mops = known && CURRENCY_MOPS[server][known];
  return mop !== undefined && mops !== undefined && mops.includes(mop);
}
