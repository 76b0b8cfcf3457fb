import type { Pool } from 'pg';
import { outcomeOf } from '../afternoon/read-payments.ts';
import type { ResultRow, Service } from '../afternoon/call-service.ts';

export type BatchKey = { file: string; no: number };

/**
 * Sends a batch. What is `sending` after a crash may have been charged or not, so it is never sent again.
 * @returns false when the batch was sent before
 */
export async function sendBatch(pool: Pool, service: Service, { file, no }: BatchKey): Promise<boolean> {
  const { rows } = await pool.query<{ body: string }>(
    `UPDATE batch SET state = 'sending' WHERE file = $1 AND no = $2 AND state = 'ready' RETURNING body`,
    [file, no],
  );
  if (!rows[0]) return false;
  const batchId = await service.submit(rows[0].body);
  const submitted = `UPDATE batch SET state = 'submitted', batch_id = $3 WHERE file = $1 AND no = $2`;
  await pool.query(submitted, [file, no, batchId]);
  return true;
}

/** What became of the question for a result. `last` names the file when it was the last open batch of it. */
type Received = { is: 'waiting' | 'done' } | { is: 'last'; name: string };

/** Asks for the result of a batch and stores its outcomes. */
export async function receiveResult(pool: Pool, service: Service, { file, no }: BatchKey): Promise<Received> {
  const { rows: sent } = await pool.query<SentRow>(SENT, [file, no]);
  const batchId = sent[0]?.batch_id;
  // Another job was faster.
  if (batchId === undefined) return { is: 'done' };
  const results = await service.askResult(batchId);
  if (!results) return { is: 'waiting' };
  compare(sent, results);
  const { rows } = await pool.query<{ name: string; open_batches: number }>(STORE, [
    file,
    no,
    sent.map(({ line }) => line),
    results.map(({ message }) => outcomeOf(message)),
    results.map(({ message }) => message),
    sent[0]?.line,
    sent.at(-1)?.line,
  ]);
  const [whole] = rows;
  return whole?.open_batches === 0 ? { is: 'last', name: whole.name } : { is: 'done' };
}

/**
 * One statement, and so one transaction: the outcomes, the state of the batch, and what is left of the file. The range
 * of lines keeps the planner, which knows nothing of rows that are just stored, from reading the whole file.
 */
const STORE = `
  WITH stored AS (
    UPDATE payment SET outcome = u.outcome, message = u.message
    FROM unnest($3::int[], $4::text[], $5::text[]) AS u (line, outcome, message)
    WHERE file = $1 AND payment.line = u.line AND payment.line BETWEEN $6 AND $7 RETURNING 1
  ), done AS (
    UPDATE batch SET state = 'done' WHERE file = $1 AND no = $2 AND state = 'submitted'
      AND (SELECT count(*) FROM stored) = cardinality($3::int[]) RETURNING 1
  )
  UPDATE file SET open_batches = open_batches - 1 WHERE id = $1 AND EXISTS (SELECT FROM done)
  RETURNING name, open_batches`;

type SentRow = { batch_id: string; line: number; invoice: string; cents: string };

const SENT = `SELECT b.batch_id, p.line, p.invoice, p.cents
  FROM batch b JOIN payment p ON p.file = b.file AND p.line BETWEEN b.first_line AND b.last_line
  WHERE b.file = $1 AND b.no = $2 AND b.state = 'submitted' ORDER BY p.line`;

/** Compares by place. @throws Error when a row of the result is not the one sent */
function compare(sent: readonly SentRow[], results: readonly ResultRow[]): void {
  if (sent.length !== results.length) throw new Error(`${results.length} results came for ${sent.length} rows`);
  for (const [place, { invoice, cents }] of sent.entries()) {
    const result = results[place]!;
    if (result.invoice !== invoice || result.amount.replace('.', '') !== cents)
      throw new Error(`${invoice} came back as ${result.invoice} or with another amount`);
  }
}
