import { dueAccounts, dueBatches, dueFiles, readNextBatches } from '../../src/ledger/batch/due-work.ts';
import { type BatchKey, keyOf } from '../../src/ledger/engine/move.ts';
import type { Ledger } from '../../src/ledger/engine/open-ledger.ts';
import type { BatchRow } from '../../src/ledger/engine/records.ts';
import { readBatchRow } from '../../src/ledger/file/read-file.ts';
import type { Due } from '../../src/ledger/stage/taken.ts';

export type DueWork = { intake: string[]; submit: BatchKey[]; poll: BatchRow[]; deliver: string[] };

/** Returns what the stages find due. */
export async function findDueWork(
  ledger: Ledger,
  { longestRecheckMs }: { longestRecheckMs?: number } = {},
): Promise<DueWork> {
  const polls = await listDue(ledger, dueBatches(ledger, longestRecheckMs));
  return {
    intake: await listDue(ledger, dueFiles(ledger, 'intake')),
    submit: await findSendable(ledger),
    poll: await Promise.all(polls.map((subject) => readBatchRow(ledger, batchOf(subject)))),
    deliver: await listDue(ledger, dueFiles(ledger, 'deliver')),
  };
}

/** Returns what is due for a stage, also what is taken already. */
export async function listDue({ pool }: Pick<Ledger, 'pool'>, { due, asked }: Due): Promise<string[]> {
  const { rows } = await pool.query<{ subject: string }>('SELECT subject FROM find_due($1, $2, 1000)', [due, asked]);
  return rows.map(({ subject }) => subject);
}

function batchOf(subject: string): BatchKey {
  const [fileId = '', batchNo] = subject.split('/');
  return { fileId, batchNo: Number(batchNo) };
}

/** Returns the batch that may be sent now of an account, by default of each. */
export async function findSendable(ledger: Ledger, account?: string): Promise<BatchKey[]> {
  const { rows } = await ledger.pool.query<{ account: string }>(
    `SELECT DISTINCT account FROM batch WHERE state = 'ready' AND account = coalesce($1, account) ORDER BY account`,
    [account],
  );
  const due = await listDue(
    ledger,
    dueAccounts(
      ledger,
      rows.map((row) => row.account),
    ),
  );
  const next = await Promise.all(due.map((name) => readNextBatches(ledger, name, 1)));
  return next.flat().map(keyOf);
}
