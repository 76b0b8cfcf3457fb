import { findDueBatches, findDueFiles, findSendable as findNext } from '../../src/ledger/batch/due-work.ts';
import type { BatchKey } from '../../src/ledger/engine/move.ts';
import type { Ledger } from '../../src/ledger/engine/open-ledger.ts';
import type { BatchRow } from '../../src/ledger/engine/records.ts';

export type DueWork = { intake: string[]; submit: BatchKey[]; poll: BatchRow[]; deliver: string[] };

/** Returns what the stages find due. */
export async function findDueWork(ledger: Ledger, poll: { longestRecheckMs?: number } = {}): Promise<DueWork> {
  return {
    intake: await findDueFiles(ledger, 'intake'),
    submit: await findSendable(ledger),
    poll: await findDueBatches(ledger, poll),
    deliver: await findDueFiles(ledger, 'deliver'),
  };
}

/** Returns the batch that may be sent now of an account, by default of each. */
export async function findSendable(ledger: Ledger, account?: string): Promise<BatchKey[]> {
  const { rows } = await ledger.pool.query<{ account: string }>(
    `SELECT DISTINCT account FROM batch WHERE state = 'ready' AND account = coalesce($1, account) ORDER BY account`,
    [account],
  );
  const keys = await Promise.all(rows.map((row) => findNext(ledger, row.account)));
  return keys.flatMap((key) => key ?? []);
}
