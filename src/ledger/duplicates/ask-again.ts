import type { Ledger } from '../engine/open-ledger.ts';
import { type Transaction, transact } from '../engine/transaction.ts';
import { groupBy } from '../../kernel/group-by.ts';
import type { BatchLines, PlainFileRow } from '../engine/records.ts';
import { lockDecisions } from './find-duplicate.ts';
import { isUnsent } from '../batch/conditions.ts';
import { recordPairs } from './double-charges.ts';
import { findPairs, type Pair } from './find-pairs.ts';

/**
 * Asks at the approval of a held file once more whether its rows were charged, now by files that were taken after it.
 * Intake compared it with those before. Batches with such rows do not leave: the approval is not about them, and a
 * person releases or cancels each.
 */
export async function askAtApproval(tx: Transaction, fileId: string, actor: string): Promise<void> {
  const { rows } = await tx.client.query<AskedFile>(ASKED_FILE, [fileId]);
  const [file] = rows;
  if (!file) return;
  await lockDecisions(tx, file.account);
  const { rows: later } = await tx.client.query(LATER_FILES, [file.account, file.file_no]);
  if (later.length === 0) return;
  const batches = await readBatchLines(tx, fileId);
  const lines = await readLines(tx, file.file_no, 'true');
  const pairs = await findPairs(tx, { ...file, fileNo: file.file_no, lines, since: file.claimed_at, isLater: true });
  const sent = pairs.filter(({ otherState }) => !isUnsent(otherState));
  const source = 'asked again at the approval';
  for (const own of groupBy(await withoutKnown(tx, file.file_no, sent), ({ otherId }) => otherId).values()) {
    const [{ otherNo, otherId }] = own as [Pair];
    const turned = own.map((pair) => turn(pair, file, batches));
    await recordPairs(tx, { account: file.account, fileNo: otherNo, fileId: otherId, source, actor }, turned);
  }
}

type AskedFile = Pick<PlainFileRow, 'file_no' | 'file_id' | 'account' | 'claimed_at'>;

const ASKED_FILE = `SELECT file_no, file_id, account, claimed_at FROM file WHERE file_id = $1 AND state = 'held'`;

const LATER_FILES = 'SELECT FROM file WHERE merchant_no = (SELECT merchant_of($1)) AND file_no > $2 LIMIT 1';

async function readBatchLines(tx: Transaction, fileId: string): Promise<BatchLines[]> {
  const lines = 'SELECT batch_no, first_line, last_line FROM batch WHERE file_id = $1 ORDER BY batch_no';
  return (await tx.client.query<BatchLines>(lines, [fileId])).rows;
}

/** @param condition SQL about row `r` */
async function readLines({ client }: Transaction, fileNo: number, condition: string, values: unknown[] = []) {
  const { rows } = await client.query<{ line: number }>(
    `SELECT r.line FROM payment_row r WHERE r.file_no = $1 AND r.batch_no IS NOT NULL AND ${condition} ORDER BY r.line`,
    [fileNo, ...values],
  );
  return rows.map(({ line }) => line);
}

/** Returns the pair as its other row sees it. */
function turn({ line, otherLine, isSame }: Pair, file: AskedFile, batches: readonly BatchLines[]): Pair {
  const { batch_no: otherBatchNo } = batches.find((batch) => batch.first_line <= line && line <= batch.last_line)!;
  const self = { otherNo: file.file_no, otherId: file.file_id, otherBatchNo, otherState: 'ready', otherOutcome: null };
  return { ...self, line: otherLine, otherLine: line, isSame } as Pair;
}

/** Leaves out pairs that are on record: what a person decided about them stands until more becomes known. */
async function withoutKnown({ client }: Transaction, fileNo: number, pairs: readonly Pair[]): Promise<Pair[]> {
  if (pairs.length === 0) return [];
  const { rows } = await client.query<{ line: number; other_no: number; other_line: number }>(
    `SELECT s.line, s.other_no, s.other_line FROM double_side s WHERE s.file_no = $1 AND s.line = ANY ($2)`,
    [fileNo, pairs.map(({ line }) => line)],
  );
  const known = new Set(rows.map((row) => `${row.line} ${row.other_no} ${row.other_line}`));
  return pairs.filter(({ line, otherNo, otherLine }) => !known.has(`${line} ${otherNo} ${otherLine}`));
}

/** Outcomes by which money of a row moved, or is on its way. */
const PAID: readonly string[] = ['approved', 'accepted_pending'];

/**
 * Looks among the rows of an account that were paid in a period for two that are one payment, however both came to be
 * sent. Pairs that it finds stand among the payments perhaps made twice.
 * @returns how many it found that were not on record
 */
export async function findApprovedTwice(ledger: Ledger, account: string, from: Date, until: Date): Promise<number> {
  const { rows: files } = await ledger.pool.query<PaidFile>(PAID_FILES, [account, from, until, PAID]);
  let found = 0;
  for (const file of files)
    found += await transact(ledger, async (tx) => {
      const lines = await readLines(tx, file.file_no, IS_PAID_ROW, [from, until, PAID]);
      const pairs = await findPairs(tx, { account, fileNo: file.file_no, lines, since: file.since });
      const paid = pairs.filter(({ otherOutcome }) => otherOutcome !== null && PAID.includes(otherOutcome));
      const fresh = await withoutKnown(tx, file.file_no, paid);
      const learned = { account, fileNo: file.file_no, fileId: file.file_id, actor: 'worker:schedule' };
      await recordPairs(tx, { ...learned, source: 'both were paid, as the close of the day found' }, fresh);
      return fresh.length;
    });
  return found;
}

type PaidFile = Pick<PlainFileRow, 'file_no' | 'file_id'> & { since: Date };

/** Files with a batch that ended in the period, or a row that changed in it. */
const PAID_FILES = `
  SELECT f.file_no, f.file_id, coalesce(f.compared_from, 'epoch') AS since FROM file f
  WHERE f.account = $1 AND f.archive_no IS NULL AND (
    f.file_id IN (SELECT b.file_id FROM batch b WHERE b.account = $1 AND b.final_at >= $2 AND b.final_at < $3 AND b.state = 'reconciled')
    OR f.file_no IN (SELECT c.file_no FROM row_change c WHERE c.at >= $2 AND c.at < $3 AND c.outcome = ANY ($4)))
  ORDER BY f.file_no`;

const IS_PAID_ROW = `EXISTS (SELECT FROM current_outcome o WHERE o.file_no = $1 AND o.line = r.line AND o.outcome = ANY ($4))
  AND (EXISTS (SELECT FROM file f JOIN batch b USING (file_id) WHERE f.file_no = $1 AND b.batch_no = r.batch_no
                 AND b.final_at >= $2 AND b.final_at < $3)
    OR EXISTS (SELECT FROM row_change c WHERE c.file_no = $1 AND c.line = r.line AND c.at >= $2 AND c.at < $3))`;
