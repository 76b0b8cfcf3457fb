import { OPERATIONS, type OperationName, type Server } from './operations.ts';

/**
 * Which server offers what. The check runs in our client before anything leaves; its two messages are the
 * service's own words and are answered instead of the call.
 */
export const RESTRICTION_MESSAGES = {
  server: 'Service cannot be used on this server.',
  currency: 'Service cannot be used with this Method of Payment or Currency.',
} as const;

export const CURRENCIES = ['USD', 'CAD', 'GBP', 'EUR'] as const;
export type Currency = (typeof CURRENCIES)[number];

/** Methods of payment per server, as they stand in a batch file. */
export const SERVER_MOPS = {
  NA: ['VISA', 'MC', 'AMX', 'DSC'],
  UK: ['VISA', 'MC', 'AMX', 'MAESTR'],
} as const satisfies Record<Server, readonly string[]>;

/**
 * Methods of payment per server and currency. The spec says that the service lists them without giving the list; this
 * one is known from public clients, with MAESTR (the spec) beside MAESTRO (their table).
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
 * The restriction check of the service, in its order: the server first, then currency with method of payment where both are
 * given or the operation forces it.
 * @returns the message to answer with, or undefined when the call may be made
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

/** Whether a server takes this method of payment in this currency. Exact and case-sensitive, as the service compares. */
export function acceptsMop(server: Server, currency: string | undefined, mop: string | undefined): boolean {
  const known = CURRENCIES.find((name) => name === currency);
  const mops = known && CURRENCY_MOPS[server][known];
  return mop !== undefined && mops !== undefined && mops.includes(mop);
}
