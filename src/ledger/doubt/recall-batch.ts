import { randomUUID } from 'node:crypto';
import type { BatchState } from '../../../schemas/lifecycle.ts';
import { counted } from '../../kernel/counted.ts';
import { groupBy } from '../../kernel/group-by.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { BatchRow } from '../engine/records.ts';
import { findForgottenSends, findMissing, type JournalEntry } from '../admission/send-journal.ts';
import { readMarks } from '../admission/send-marks.ts';
import { addForgottenRows } from '../duplicates/find-forgotten-rows.ts';
import { storableJson } from '../engine/storable-text.ts';
import { type Transaction, transact } from '../engine/transaction.ts';
import { merchantOfCall } from '../merchant/keep-merchant.ts';
import { NOBODY } from '../batch/conditions.ts';
import { type BatchKey, moveBatch, moveFile } from '../engine/move.ts';
import { learnBatch } from '../duplicates/double-charges.ts';
import { lockDecisions } from '../duplicates/find-duplicate.ts';
import { lockForStop } from '../account/pause-account.ts';

/** What was done about the calls of one account that only the journal knew. */
export type Recalled = {
  account: string;
  reason: string;
  /** Batches that are in doubt now, and listed with all others in doubt. */
  recalled: BatchKey[];
  /** Calls that no batch of the ledger accounts for; an operator has to review them. */
  forgotten: JournalEntry[];
};

/**
 * Compares the send journal with the ledger and adds missing calls to the ledger. It stops every account with such
 * calls. What was sent can then never be sent again, even after the account is resumed. A waiting batch is in doubt
 * from here on, and the bytes of a call without a matching batch are barred.
 *
 * Safe to repeat at any time; a call that was handled is not found again.
 */
export async function recallForgotten(ledger: Ledger, journal: string): Promise<Recalled[]> {
  const entries = await findForgottenSends(ledger, journal);
  const done: Recalled[] = [];
  for (const [, own] of groupBy(entries, ({ account }) => account))
    done.push(...(await transact(ledger, (tx) => recallEntries(tx, own, 'send journal'))));
  await learnRows(ledger, journal);
  return done;
}

/**
 * Reads the rows of forgotten calls from the marks beside the journal, also of calls that were found elsewhere, such as
 * in a replaced ledger. Files that were compared before are compared again.
 */
async function learnRows(ledger: Ledger, journal: string): Promise<void> {
  const { rows } = await ledger.pool.query<{ call: string; merchantNo: number; at: Date }>(
    'SELECT call, merchant_no AS "merchantNo", at FROM forgotten_send WHERE NOT is_marked AND call IS NOT NULL',
  );
  const marks = await readMarks(journal, new Set(rows.map(({ call }) => call)));
  for (const send of rows) {
    const own = marks.get(send.call);
    if (own)
      await transact(ledger, async (tx) => {
        const { rowCount } = await tx.client.query(
          'UPDATE forgotten_send SET is_marked = true, call_order = DEFAULT WHERE call = $1 AND NOT is_marked',
          [send.call],
        );
        if (rowCount) await addForgottenRows(tx.client, send, own);
      });
  }
}

/**
 * Does the same for calls known from elsewhere.
 * @param source what knows them, as a phrase that follows an article
 */
export async function recallEntries(
  tx: Transaction,
  entries: readonly JournalEntry[],
  source: string,
): Promise<Recalled[]> {
  await lockForStop(tx);
  // Another process may have recorded them meanwhile.
  const missing = await withPresentNames(tx, await findMissing(tx.client, entries));
  const done: Recalled[] = [];
  for (const [account, own] of groupBy(missing, (entry) => entry.account))
    done.push(await recallAccount(tx, account, own, source));
  return done;
}

/** An account may have another name by now, and its old name another meaning. The merchant tells which is meant. */
async function withPresentNames(tx: Transaction, entries: readonly JournalEntry[]): Promise<JournalEntry[]> {
  const { rows } = await tx.client.query<{ mark: string; account: string }>(
    `SELECT p.mark, min(a.account) AS account FROM merchant_address p JOIN account a USING (merchant_no)
     WHERE p.mark = ANY ($1) GROUP BY p.mark`,
    [[...new Set(entries.map(({ merchant }) => merchant))]],
  );
  const names = new Map(rows.map(({ mark, account }) => [mark, account]));
  return entries.map((entry) => ({ ...entry, account: names.get(entry.merchant ?? '') ?? entry.account }));
}

/** A batch that the service has and paydrop does not know. `like` is a waiting batch with the same rows. */
export type FoundBatch = { batchId: string; like: BatchKey | undefined };

/**
 * Does the same for batches that only the service knows.
 * @returns why the account was stopped
 */
export async function recallFound(ledger: Ledger, account: string, found: readonly FoundBatch[]): Promise<string> {
  const ids = found.map(({ batchId }) => batchId).join(', ');
  const reason = `the service has ${counted(found.length, 'batch')} missing from the ledger and the send journal (batch id ${ids}): this machine was restored to an older state, or another program sends with the same agent code`;
  await transact(ledger, async (tx) => {
    await lockForStop(tx);
    await stop(tx, account, reason);
    await lockDecisions(tx, account);
    const at = tx.at.toISOString();
    for (const { batchId, like } of found) {
      const batch = like && (await lockBatch(tx, like));
      const call = { at, account, attempt: (batch?.attempt ?? 0) + 1, answer: { verdict: 'unknown', batchId } };
      if (batch && IS_RECALLABLE[batch.state])
        await recall(
          tx,
          batch,
          { ...call, fileId: batch.file_id, batchNo: batch.batch_no, sha256: batch.body_sha256 },
          'service',
        );
      else
        await remember(
          tx,
          { ...call, fileId: NOT_KNOWN, batchNo: 0, sha256: '', call: randomUUID() },
          undefined,
          'service',
        );
    }
  });
  return reason;
}

/** Stands in for the file id, which the service does not return. */
const NOT_KNOWN = 'not known';

async function recallAccount(
  tx: Transaction,
  account: string,
  entries: readonly JournalEntry[],
  source: string,
): Promise<Recalled> {
  const reason = `the ${source} knows ${counted(entries.length, 'call')} that the ledger does not, the first at ${entries[0]!.at}`;
  await stop(tx, account, reason);
  await lockDecisions(tx, account);
  const done: Recalled = { account, reason, recalled: [], forgotten: [] };
  for (const entry of entries) {
    const batch = await lockBatch(tx, entry);
    if (batch && IS_RECALLABLE[batch.state]) {
      await recall(tx, batch, entry, source);
      if (!done.recalled.some((key) => key.fileId === entry.fileId && key.batchNo === entry.batchNo))
        done.recalled.push({ fileId: entry.fileId, batchNo: entry.batchNo });
    } else {
      await remember(tx, entry, batch?.state, source);
      done.forgotten.push(entry);
    }
  }
  return done;
}

/**
 * Whether a batch in this state can record the call and become in doubt. A batch that is being sent, has a batch id or
 * is final has a history that must not be lost. There an operator compares the two.
 */
const IS_RECALLABLE: Readonly<Record<BatchState, boolean>> = {
  ready: true,
  refused: true,
  unknown: true,
  sending: false,
  submitted: false,
  result_in: false,
  exception: false,
  reconciled: false,
  cancelled: false,
};

async function stop(tx: Transaction, account: string, reason: string): Promise<void> {
  const { rowCount } = await tx.client.query(
    `INSERT INTO account_stop (account, kind, reason, actor, since) VALUES ($1, 'journal', $2, 'worker:sweep', $3)
     ON CONFLICT (account, kind) DO NOTHING`,
    [account, reason, tx.at],
  );
  if (rowCount) tx.audit({ actor: 'worker:sweep', move: 'stop-account', reason, evidence: { account } });
}

async function lockBatch(tx: Transaction, { fileId, batchNo }: BatchKey): Promise<BatchRow | undefined> {
  const { rows } = await tx.client.query<BatchRow>(
    'SELECT * FROM batch WHERE file_id = $1 AND batch_no = $2 FOR UPDATE',
    [fileId, batchNo],
  );
  return rows[0];
}

/** Moves `recall` and `recall-refused`: puts the batch in doubt, with the forgotten attempt. */
async function recall(tx: Transaction, batch: BatchRow, entry: JournalEntry, source: string): Promise<void> {
  const key = { fileId: entry.fileId, batchNo: entry.batchNo };
  const { batchId } = entry.answer ?? {};
  const evidence = {
    source,
    attempt: entry.attempt,
    at: entry.at,
    sha256: entry.sha256,
    // Same form as the text of a broken answer, so that the batch can adopt this id.
    ...(batchId !== undefined && { answerText: `BATCHID ${batchId}: found at the service` }),
  };
  const because = {
    actor: 'worker:sweep',
    reason: `the ${source} has attempt ${entry.attempt} of ${entry.at}, which the ledger had lost`,
    evidence,
  };
  // The ledger may have given this attempt number to another call.
  const { rows } = await tx.client.query<{ attempt: number }>(
    `INSERT INTO attempt (file_id, batch_no, attempt, worker, host, request_bytes, started_at, ended_at, verdict, evidence, call)
     SELECT $1, $2, CASE WHEN bool_or(attempt = $3) THEN max(attempt) + 1 ELSE $3 END, 'not known', 'not known', 0, $4, $5,
            'unknown', $6, coalesce($7, gen_random_uuid())
     FROM attempt WHERE file_id = $1 AND batch_no = $2 RETURNING attempt`,
    [key.fileId, key.batchNo, entry.attempt, entry.at, tx.at, storableJson(evidence), entry.call ?? null],
  );
  const { attempt } = rows[0]!;
  // The next attempt gets a number that no call has used, whatever the older ledger counted.
  const options = { set: { ...NOBODY, attempt: Math.max(batch.attempt, attempt), not_before: null } };
  const moved =
    (await moveBatch(tx, 'recall', key, because, options)) ??
    (await moveBatch(tx, 'recall-refused', key, because, options));
  if (moved)
    await moveFile(tx, 'begin', key.fileId, { actor: because.actor, reason: 'one of its batches was sent before' });
  else await addAttempt(tx, key, attempt, because);
  await learnBatch(tx, key, { actor: because.actor, source: `the ${source} has a call of it` });
}

async function addAttempt(
  tx: Transaction,
  key: BatchKey,
  attempt: number,
  because: { actor: string; reason: string; evidence: Record<string, unknown> },
): Promise<void> {
  await tx.client.query('UPDATE batch SET attempt = greatest(attempt, $3) WHERE file_id = $1 AND batch_no = $2', [
    key.fileId,
    key.batchNo,
    attempt,
  ]);
  tx.audit({ ...because, ...key, move: 'recall-attempt' });
}

async function remember(
  tx: Transaction,
  entry: JournalEntry,
  state: BatchState | undefined,
  source: string,
): Promise<void> {
  const { fileId, batchNo, attempt, account, sha256, at, call, rowSet, answer } = entry;
  const { rowCount } = await tx.client.query(
    `INSERT INTO forgotten_send
       (file_id, batch_no, attempt, account, sha256, at, since, batch_state, call, batch_id, row_set, merchant_no)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT DO NOTHING`,
    [
      fileId,
      batchNo,
      attempt,
      account,
      sha256,
      at,
      tx.at,
      state ?? null,
      call ?? null,
      answer?.batchId ?? null,
      rowSet ?? null,
      await merchantOfCall(tx, entry),
    ],
  );
  if (rowCount === 0) return;
  const held = state === undefined ? 'which is not in the ledger' : `which the ledger holds as ${state}`;
  tx.audit({
    actor: 'worker:sweep',
    ...(state !== undefined && { fileId, batchNo }),
    move: 'remember-send',
    reason: `the ${source} knows a call of batch ${batchNo} of file ${fileId}, ${held}`,
    evidence: { account, fileId, batchNo, attempt, at, sha256 },
  });
  // Its rows count as not charged, such as those of a batch that was cancelled, and other files may hold them since.
  await learnBatch(tx, { fileId, batchNo }, { actor: 'worker:sweep', source: `the ${source} has a call of it` });
}
