import type { AccountConfig } from '../../../schemas/config.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { Question } from '../engine/ask.ts';
import type { Ledger } from '../engine/open-ledger.ts';

/** What an account means: who is charged, and in which country and currency its files are taken. */
export type Meaning = Pick<AccountConfig, 'country' | 'currency'> & { readonly merchantNo: number };

/**
 * With the mark of the merchant at its present address, which the send journal keeps with each call, and that of its agent
 * code, by which its payments are recognized wherever the service is.
 */
export type Bound = Meaning & { readonly mark: string; readonly agentMark: string };

/** The accounts of the configuration of this process whose meaning the ledger shares, by name. */
export type BoundAccounts = Map<string, Bound>;

/**
 * Returns what is_bound in schemas/ledger/merchants.sql compares. A process with an older or a newer configuration than
 * the ledger was last opened with takes and sends nothing of the accounts that differ.
 */
export function boundKeys({ bound }: Pick<Ledger, 'bound'>): string[] {
  return [...bound].map(([account, { merchantNo, country, currency }]) =>
    [account, merchantNo, country, currency].join(' '),
  );
}

/**
 * Returns what a claim notes of its account, so that a later process knows for whom it was taken, whatever the name means
 * by then: the mark of the merchant, country and currency. Undefined when the ledger does not share the account's meaning.
 */
export function meaningKey({ bound }: Pick<Ledger, 'bound'>, account: string): string | undefined {
  const found = bound.get(account);
  return found && [found.mark, found.country, found.currency].join(' ');
}

/** @throws PipelineError MERCHANT_CHANGED */
export function boundOf({ bound }: Pick<Ledger, 'bound'>, account: string): Bound {
  const found = bound.get(account);
  if (!found) throw otherMerchant(account);
  return found;
}

/**
 * Asks, within the transaction that reads files, whether this process still means by their accounts what the ledger means:
 * their rows are checked for a country and a currency.
 * @throws PipelineError MERCHANT_CHANGED, when the answer is read
 */
export function stillBound(ledger: Pick<Ledger, 'bound'>, accounts: readonly string[]): Question<void> {
  return {
    sql: 'SELECT account FROM unnest($1::text[]) account WHERE NOT is_bound(account, $2::text[])',
    values: [accounts, boundKeys(ledger)],
    read: ([other]) => {
      if (other) throw otherMerchant((other as { account: string }).account);
    },
  };
}

/** What was taken for a merchant, under the present name of its account. */
export type Charged = { readonly account: string; readonly merchant_no: number };

/**
 * Checks that a call about this goes to the merchant that it was taken for. Reads are checked like everything else: the
 * answer of another merchant would be believed.
 * @throws PipelineError MERCHANT_CHANGED
 */
export function mustBeBound({ bound }: Pick<Ledger, 'bound'>, { account, merchant_no: merchantNo }: Charged): void {
  if (bound.get(account)?.merchantNo !== merchantNo) throw otherMerchant(account);
}

/** The ledger and the configuration of this process do not mean the same by an account, or nobody has said what it means. */
export function otherMerchant(account: string): PipelineError {
  return new PipelineError('MERCHANT_CHANGED', `use account "${account}"`);
}

export function isSameMeaning(one: Meaning, other: Meaning): boolean {
  return one.merchantNo === other.merchantNo && one.country === other.country && one.currency === other.currency;
}

/** Returns the name in the configuration of a former name, such as `main` of `main.1`. */
export function presentName(account: string): string {
  return account.replace(/\..*$/, '');
}

/** Work that was taken when a name meant something else has a name with a dot, which no configuration can have. */
export function isFormerName(account: string): boolean {
  return account.includes('.');
}

/** Returns the same in SQL. */
export function isFormerNameSql(account: string): string {
  return `${account} LIKE '%.%'`;
}
