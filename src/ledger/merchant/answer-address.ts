import { lockForStop } from '../account/pause-account.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { AuditReason } from '../engine/move.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import { transact } from '../engine/transaction.ts';
import type { Meaning } from './bound-accounts.ts';
import { keepMerchant, mergeMerchant } from './keep-merchant.ts';
import { type Present, renameAccounts } from './rename-accounts.ts';

/** An agent code that is known at another address. `before` is where it was used; null when only a send journal knows. */
export type AddressQuestion = {
  account: string;
  server: string;
  before: string | null;
  wasSandbox: boolean;
  address: string;
  askedAt: Date;
  /** Files that were taken for the merchant at the other address, and batches of them that were not sent. */
  files: number;
  unsent: number;
};

export async function listAddressQuestions({ pool }: Pick<Ledger, 'pool'>): Promise<AddressQuestion[]> {
  const { rows } = await pool.query<AddressQuestion>(
    `SELECT q.account, q.server, q.address, q.asked_at AS "askedAt", coalesce(m.is_sandbox, false) AS "wasSandbox",
            (SELECT p.address FROM merchant_address p WHERE p.merchant_no = q.merchant_no ORDER BY p.since DESC LIMIT 1) AS before,
            (SELECT count(*)::int FROM file f WHERE f.merchant_no = q.merchant_no) AS files,
            (SELECT count(*)::int FROM batch b WHERE b.merchant_no = q.merchant_no AND b.state = 'ready') AS unsent
     FROM address_question q JOIN merchant m USING (merchant_no) ORDER BY q.account`,
  );
  return rows;
}

/**
 * Records whether the service of an account moved to its new address, so that all that was sent counts there, or is
 * another one. The answer holds for every account that is asked about the same address.
 * @returns the accounts
 * @throws PipelineError NOT_FOUND when nothing is asked about the account
 */
export async function answerAddress(
  ledger: Ledger,
  account: string,
  hasMoved: boolean,
  because: AuditReason,
): Promise<string[]> {
  return transact(ledger, async (tx) => {
    await lockForStop(tx);
    const { rows } = await tx.client.query<Question>(
      `DELETE FROM address_question q USING merchant m
       WHERE m.merchant_no = q.merchant_no AND (q.server, q.address) = (SELECT server, address FROM address_question WHERE account = $1)
       RETURNING q.account, q.mark, q.merchant_no AS "merchantNo", q.server, q.address, q.country, q.currency, q.is_sandbox AS "isSandbox",
                 m.agent_mark AS "agentMark"`,
      [account],
    );
    if (rows.length === 0)
      throw new PipelineError('NOT_FOUND', `answer for account "${account}"`, 'nothing is asked about its address');
    const wanted = new Map<string, Meaning>();
    // Names of one agent code mean one merchant there.
    const merchants = new Map<string, number>();
    for (const question of rows) {
      const place = { ...question, chain: question.account };
      const merchantNo =
        merchants.get(question.mark) ??
        (hasMoved
          ? await mergeMerchant(tx, place, question.merchantNo, because)
          : await keepMerchant(tx, place, because));
      merchants.set(question.mark, merchantNo);
      wanted.set(question.account, { merchantNo, country: question.country, currency: question.currency });
      tx.audit({
        ...because,
        move: 'answer-address',
        evidence: { account: question.account, address: question.address, hasMoved },
      });
    }
    const { rows: present } = await tx.client.query<Present>(
      `SELECT account, merchant_no AS "merchantNo", country, currency FROM account WHERE account = ANY ($1)`,
      [[...wanted.keys()]],
    );
    await renameAccounts(tx, present, wanted);
    return [...wanted.keys()];
  });
}

type Question = Meaning & {
  account: string;
  mark: string;
  agentMark: string;
  server: string;
  address: string;
  isSandbox: boolean;
};
