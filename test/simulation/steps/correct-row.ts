import { changeOutcomes } from '../../../src/ledger/row/change-outcomes.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import type { SentOutcome } from '../../../schemas/lifecycle.ts';
import type { World } from '../world.ts';
import { pickFrom, tell } from './step.ts';

type Declined = { id: string; no: number; name: string; fileNo: number; line: number; code: number | null };

/** A declined row of a finished file; rows that an unsent batch repeats come first, because they are few. */
const DECLINED = `
  SELECT json_build_object('id', f.file_id, 'no', r.batch_no, 'name', f.name, 'fileNo', f.file_no, 'line', r.line,
                           'code', o.code) AS found
  FROM file f JOIN payment_row r USING (file_no) JOIN current_outcome o USING (file_no, line)
  WHERE o.outcome = 'declined' AND f.archive_no IS NULL AND ($1 OR EXISTS (SELECT FROM (TWINS) t))
  ORDER BY f.file_no, r.line`;

/** Rows of other files that are the same payment to the letter and are not sent yet, within the days that are compared. */
const TWINS = `
  SELECT w.name, b.batch_no, b.paid_since FROM file w JOIN batch b ON b.file_id = w.file_id AND b.state = 'ready'
  JOIN payment_row s ON s.file_no = w.file_no AND s.batch_no = b.batch_no
  WHERE w.merchant_no = f.merchant_no AND w.operation = f.operation AND w.file_no > f.file_no
    AND w.state IN ('held', 'accepted', 'in_progress') AND s.invoice <> ''
    AND (s.invoice, s.customer_code, s.last_four, s.amount_cents) = (r.invoice, r.customer_code, r.last_four, r.amount_cents)
    AND (w.compared_from IS NULL OR coalesce(f.aged_from, f.claimed_at) >= w.compared_from)`;

/**
 * Lets a row that was declined turn out to be in doubt, between the intake of a file that repeats it and its send, and
 * back again, since the service has not charged it. From then on no unsent batch with the payment may leave by itself.
 */
export async function correctRow(world: World): Promise<void> {
  const sql = DECLINED.replace('TWINS', TWINS);
  const row = (await pickFrom<Declined>(world, sql, [false])) ?? (await pickFrom<Declined>(world, sql, [true]));
  if (!row) return;
  const place = tell(world, `line ${row.line} of ${row.name} turns out to be in doubt, and is declined again`);
  await change(world, row, 'unknown', null);
  await change(world, row, 'declined', row.code);
  const { rows: twins } = await world.office.pool.query<{ name: string; batch_no: number; paid_since: Date | null }>(
    `SELECT t.* FROM file f JOIN payment_row r USING (file_no) CROSS JOIN LATERAL (${TWINS}) t
     WHERE f.file_no = $1 AND r.line = $2`,
    [row.fileNo, row.line],
  );
  for (const { name, batch_no: batchNo, paid_since: since } of twins) {
    world.totals.count('money', 'batches held by a late charge');
    if (since === null)
      world.complaints.push(`${name}/${batchNo} may leave although line ${row.line} of ${row.name} was corrected`);
  }
  if (twins.length > 0) place.add(`it holds ${twins.length} batches`);
}

function change(world: World, { id, no, line }: Declined, outcome: SentOutcome, code: number | null) {
  const by = { actor: 'worker:poll', reason: 'the service gives another outcome', source: 'asked for again' };
  const row = { line, outcome, code, message: outcome, authorization: '' };
  return transact(world.office, (tx) => changeOutcomes(tx, { fileId: id, batchNo: no }, [row], by));
}
