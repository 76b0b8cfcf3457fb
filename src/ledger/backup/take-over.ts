import { recallEntries, type Recalled } from '../doubt/recall-batch.ts';
import type { JournalEntry } from '../admission/send-journal.ts';
import type { Transaction } from '../engine/transaction.ts';

/**
 * Closes a restored ledger, so that every sending host has to report, and copies the calls and senders that the
 * replaced ledger knows. So no call is lost with a send journal that is gone or on another host.
 * @param aside schema of the replaced ledger; undefined when there was none
 * @returns what was recalled for each account; these accounts are stopped
 */
export async function takeOver(tx: Transaction, aside: string | undefined): Promise<Recalled[]> {
  const knowsSenders = aside !== undefined && (await isTable(tx, `${aside}.sender`));
  if (knowsSenders) await takeOverSenders(tx, aside);
  // Overrides what the backup says: the restored ledger is neither open nor new.
  await tx.client.query(
    `UPDATE admission SET is_open = false, made_in = '-infinity', closing = gen_random_uuid(), since = ${tx.databaseNow},
       closing_epoch = greatest(epoch, closing_epoch${knowsSenders ? `, (SELECT greatest(epoch, closing_epoch) FROM ${aside}.admission)` : ''}) + 1`,
  );
  return aside === undefined ? [] : recallEntries(tx, await readCalls(tx, aside), 'ledger that was here before');
}

async function isTable({ client }: Transaction, name: string): Promise<boolean> {
  const { rows } = await client.query<{ is: boolean }>('SELECT to_regclass($1) IS NOT NULL AS is', [name]);
  return rows[0]!.is;
}

/** Copies the senders; the newer entry wins. The replaced ledger stays closed, even under another name. */
async function takeOverSenders({ client }: Transaction, aside: string): Promise<void> {
  await client.query(
    `INSERT INTO sender AS here (journal, name, state, epoch, actor, reason)
       SELECT journal, name, state, epoch, actor, reason FROM ${aside}.sender WHERE epoch > 0
     ON CONFLICT (journal) DO UPDATE SET name = excluded.name, state = excluded.state, epoch = excluded.epoch,
       actor = excluded.actor, reason = excluded.reason WHERE excluded.epoch >= here.epoch`,
  );
  await client.query(`UPDATE ${aside}.admission SET is_open = false`);
}

/** Returns the calls that may have left. Calls of older versions have no id. */
async function readCalls({ client }: Transaction, aside: string): Promise<JournalEntry[]> {
  const { rows } = await client.query<Omit<JournalEntry, 'at' | 'call'> & { at: Date; call: string | null }>(
    `SELECT a.started_at AS at, b.account, a.file_id AS "fileId", a.batch_no AS "batchNo", a.attempt,
            b.body_sha256 AS sha256, to_jsonb(a) ->> 'call' AS call
     FROM ${aside}.attempt a JOIN ${aside}.batch b USING (file_id, batch_no) WHERE a.verdict IS DISTINCT FROM 'not_sent'
     UNION ALL
     SELECT at, account, file_id, batch_no, attempt, sha256, to_jsonb(g) ->> 'call' FROM ${aside}.forgotten_send g
     ORDER BY at`,
  );
  return rows.map(({ at, call, ...entry }) => ({
    ...entry,
    at: at.toISOString(),
    ...(call !== null && { call }),
  }));
}
