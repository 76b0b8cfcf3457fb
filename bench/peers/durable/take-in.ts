import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { parse } from 'csv-parse';
import type { Pool, PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { checkRow, COLUMNS, encodeBody, maskNumber, type Payment } from '../afternoon/read-payments.ts';

type Batch = { firstLine: number; lastLine: number; body: string };
type Reject = { line: number; reason: string };

/**
 * Reads a file as a stream and stores its rows and batches in one transaction.
 * @returns the id of the file and the number of its batches
 */
export async function takeIn(
  pool: Pool,
  { path, name, maxRows }: { path: string; name: string; maxRows: number },
): Promise<{ file: string; batches: number }> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const { rows } = await client.query<{ id: string }>('INSERT INTO file (name) VALUES ($1) RETURNING id', [name]);
    const file = rows[0]!.id;
    const batches: Batch[] = [];
    const rejects: Reject[] = [];
    await pipeline(
      createReadStream(path),
      parse({ columns: COLUMNS, skip_empty_lines: true, trim: true }),
      (records: AsyncIterable<unknown>) => copyLines(file, records, { maxRows, batches, rejects }),
      client.query(copyFrom(COPY)),
    );
    await storeBatches(client, file, batches);
    await storeRejects(client, file, rejects);
    await client.query('COMMIT');
    return { file, batches: batches.length };
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}

const COPY = `COPY payment (file, line, invoice, cents, paid_on, first_name, last_name, street, city, state, zip_code, mop,
  masked_number, expiry) FROM STDIN`;

/** Larger than most files, so that their rows go out in one message. */
const CHUNK = 65_536;

/** Yields the valid rows for COPY, cuts them into batches and notes the others. */
async function* copyLines(
  file: string,
  records: AsyncIterable<unknown>,
  { maxRows, batches, rejects }: { maxRows: number; batches: Batch[]; rejects: Reject[] },
): AsyncGenerator<string> {
  let line = 0;
  let firstLine = 0;
  let payments: Payment[] = [];
  let text = '';
  const cut = (lastLine: number) => {
    if (payments.length > 0) batches.push({ firstLine, lastLine, body: encodeBody(payments) });
    payments = [];
  };
  for await (const record of records) {
    line += 1;
    const { payment, reason } = checkRow(record);
    if (!payment) {
      rejects.push({ line, reason });
      continue;
    }
    if (payments.length === 0) firstLine = line;
    payments.push(payment);
    text += copyLine(file, line, payment);
    if (payments.length === maxRows) cut(line);
    if (text.length < CHUNK) continue;
    yield text;
    text = '';
  }
  cut(line);
  yield text;
}

function copyLine(file: string, line: number, payment: Payment): string {
  const { date, invoice, firstName, lastName, street, city, state, zipCode, amount, mop, cardNumber, expiry } = payment;
  const masked = maskNumber(cardNumber);
  const texts = [date, firstName, lastName, street, city, state, zipCode, mop, masked, expiry].join('\t');
  const cells = `${file}\t${line}\t${invoice}\t${amount.replace('.', '')}\t${texts}`;
  return `${cells.includes('\\') ? cells.replaceAll('\\', '\\\\') : cells}\n`;
}

/** Bodies in one statement: some 7 MB. */
const MOST_BODIES = 100;

async function storeBatches(client: PoolClient, file: string, batches: readonly Batch[]): Promise<void> {
  for (let from = 0; from < batches.length; from += MOST_BODIES) {
    const some = batches.slice(from, from + MOST_BODIES);
    await client.query(
      `WITH stored AS (
         INSERT INTO batch (file, no, state, first_line, last_line, body)
         SELECT $1, $2 + n, 'ready', first_line, last_line, body
         FROM unnest($3::int[], $4::int[], $5::text[]) WITH ORDINALITY AS u (first_line, last_line, body, n) RETURNING 1
       )
       UPDATE file SET open_batches = open_batches + (SELECT count(*) FROM stored) WHERE id = $1`,
      [
        file,
        from,
        some.map(({ firstLine }) => firstLine),
        some.map(({ lastLine }) => lastLine),
        some.map(({ body }) => body),
      ],
    );
  }
}

async function storeRejects(client: PoolClient, file: string, rejects: readonly Reject[]): Promise<void> {
  if (rejects.length === 0) return;
  await client.query(
    'INSERT INTO reject (file, line, reason) SELECT $1, line, reason FROM unnest($2::int[], $3::text[]) AS u (line, reason)',
    [file, rejects.map(({ line }) => line), rejects.map(({ reason }) => reason)],
  );
}
