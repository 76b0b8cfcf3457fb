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

/**
 * Runs the same check and names what it judged, after the service's sentence. Words that no table has are not repeated:
 * they may be a card number in the wrong place.
 * @returns the message for the caller, or undefined when the call is allowed
 */
export function sayRestriction(call: Parameters<typeof findRestriction>[0]): string | undefined {
  const message = findRestriction(call);
  if (message !== RESTRICTION_MESSAGES.currency) return message && `${message} Judged: server ${call.server}.`;
  const currency = nameWord('currency', call.currency, CURRENCIES);
  const mop = nameWord('method of payment', call.mop, LISTED_MOPS);
  return `${message} Judged: server ${call.server}, ${currency}, ${mop}.`;
}

/** Every method of payment of the table. */
const LISTED_MOPS: readonly string[] = Object.values(CURRENCY_MOPS).flatMap((row) => Object.values(row).flat());

function nameWord(what: string, word: string | undefined, listed: readonly string[]): string {
  if (!word) return `no ${what}`;
  return listed.includes(word) ? `${what} ${word}` : `a ${what} that is not listed`;
}

/** What is sent for a method of payment that the spec does not have: for a debit card its brand. */
const SENT_AS: Readonly<Record<string, string>> = { MAESTRO: 'MAESTR', 'VISA DEBIT': 'VISA', 'MC DEBIT': 'MC' };

/**
 * Returns the method of payment to send: the spec's word for one that only the table of the server has. Assumption: the
 * spec has no values for debit cards and no client sends any, so their brand is sent.
 */
export function sentMop(server: Server, mop: string): string {
  return isListed(server, mop) ? (SENT_AS[mop] ?? mop) : mop;
}

/** Returns the words of a server's table that the spec does not have. */
export function extraMops(server: Server): string[] {
  return Object.keys(SENT_AS).filter((mop) => isListed(server, mop));
}

function isListed(server: Server, mop: string): boolean {
  return Object.values(CURRENCY_MOPS[server]).some((mops) => mops.includes(mop));
}

/** Returns whether a server takes a method of payment in a currency. Exact and case-sensitive, as in the service. */
export function acceptsMop(server: Server, currency: string | undefined, mop: string | undefined): boolean {
  const known = CURRENCIES.find((name) => name === currency);
  const mops = known && CURRENCY_MOPS[server][known];
  return mop !== undefined && mops !== undefined && mops.includes(mop);
}
