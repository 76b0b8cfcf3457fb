import type { App } from '../../src/app.ts';

const FILES = 20;
const BATCH_ROWS = 500;
/** One row in so many is over its card's limit, and may go again. */
const DECLINED_EACH = 50;
const ROWS_OF = { approved: BATCH_ROWS - BATCH_ROWS / DECLINED_EACH, declined: BATCH_ROWS / DECLINED_EACH } as const;

/**
 * Fills the ledger with copies of one finished file: rows, outcomes, batches and audit links, one file a day up to
 * today. The links do not chain, because no benchmark verifies them.
 * @returns the invoice at a place between 0 and 1
 */
export async function fillLedger(
  app: App,
  model: { fileId: string; rows: number },
): Promise<(place: number) => string> {
  const rowsOfFile = Math.ceil(model.rows / FILES);
  const indexes = await listIndexes(app);
  await forceStatements(app, [
    ...indexes.map(({ name }) => `DROP INDEX ${name}`),
    ...statementsOf(model.fileId, rowsOfFile),
    ...indexes.map(({ definition }) => definition),
    'VACUUM ANALYZE',
  ]);
  return (place) => {
    const row = Math.floor(place * FILES * rowsOfFile);
    return invoiceOf(Math.floor(row / rowsOfFile) + 1, (row % rowsOfFile) + 1);
  };
}

/** Lists the large tables' indexes without a constraint; building them at the end takes a fraction of the time. */
async function listIndexes({ ledger }: App): Promise<{ name: string; definition: string }[]> {
  const { rows } = await ledger.pool.query<{ name: string; definition: string }>(
    `SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS definition FROM pg_index i
     WHERE i.indrelid IN ('payment_row'::regclass, 'row_fingerprint'::regclass, 'row_outcome'::regclass) AND NOT i.indisunique`,
  );
  return rows;
}

function statementsOf(fileId: string, rows: number): string[] {
  const batches = Math.ceil(rows / BATCH_ROWS);
  return [
    `CREATE TEMP TABLE model AS SELECT * FROM file WHERE file_id = '${fileId}'`,
    // What differs between the copies. All else is copied, so that the columns need not be named.
    `CREATE TEMP TABLE copy AS SELECT n AS copy_no, 1000 + n AS file_no, 'c0py' || lpad(n::text, 12, '0') AS file_id,
       m.claimed_at - (n - 1) * interval '1 day' AS at FROM model m, generate_series(1, ${FILES}) n`,
    `INSERT INTO file OVERRIDING SYSTEM VALUE SELECT (jsonb_populate_record(m, jsonb_build_object(
       'file_no', c.file_no, 'file_id', c.file_id, 'name', 'copy-' || c.copy_no || '.csv', 'sha256', repeat('0', 56) || lpad(c.copy_no::text, 8, '0'),
       'claimed_at', c.at, 'state_at', c.at, 'accepted_at', c.at, 'records', ${rows}, 'valid_rows', ${rows},
       'valid_cents', ${rows * 2_500}, 'invalid_rows', 0, 'physical_lines', ${rows}))).* FROM model m, copy c`,
    `INSERT INTO file_secret (file_id, wrapped_key)
     SELECT c.file_id, s.wrapped_key FROM copy c, file_secret s WHERE s.file_id = '${fileId}'`,
    `INSERT INTO batch SELECT (jsonb_populate_record(b, jsonb_build_object(
       'file_id', c.file_id, 'batch_no', no, 'batch_id', c.copy_no || '-' || no, 'rows', ${BATCH_ROWS}, 'cents', ${BATCH_ROWS} * 2500,
       'first_line', (no - 1) * ${BATCH_ROWS} + 1, 'last_line', no * ${BATCH_ROWS}, 'next_recheck_at', NULL,
       'state_at', c.at, 'submitted_at', c.at, 'result_at', c.at, 'final_at', c.at))).*
     FROM batch b, copy c, generate_series(1, ${batches}) no WHERE b.file_id = '${fileId}' AND b.batch_no = 1`,
    ...(['approved', 'declined'] as const).map(
      (
        outcome,
      ) => `INSERT INTO batch_outcome SELECT c.file_no, no, '${outcome}', ${ROWS_OF[outcome]}, ${ROWS_OF[outcome]} * 2500
       FROM copy c, generate_series(1, ${batches}) no`,
    ),
    `INSERT INTO payment_row (file_no, line, batch_no, invoice, customer_code, amount_cents, last_four)
     SELECT c.file_no, line, (line - 1) / ${BATCH_ROWS} + 1, 'COPY' || c.copy_no || '-' || lpad(line::text, 8, '0'), '', 2500,
       lpad((line % 10000)::text, 4, '0')
     FROM copy c, generate_series(1, ${rows}) line`,
    `INSERT INTO row_fingerprint (volume, fingerprint, file_no, line)
     SELECT c.file_no, hashtextextended(line::text, c.file_no), c.file_no, line FROM copy c, generate_series(1, ${rows}) line`,
    `INSERT INTO row_outcome (file_no, line, outcome, code, message, "authorization")
     SELECT c.file_no, line, 'approved', NULL, 'OK: 678594:', '678594' FROM copy c, generate_series(1, ${rows}) line
     WHERE line % ${DECLINED_EACH} <> 0`,
    `INSERT INTO row_outcome (file_no, line, outcome, code, message, "authorization")
     SELECT c.file_no, line, 'declined', 14, 'REJECT: 14', '' FROM copy c, generate_series(1, ${rows}) line
     WHERE line % ${DECLINED_EACH} = 0`,
    `INSERT INTO audit SELECT (jsonb_populate_record(a, jsonb_build_object('seq', 1000000 + row_number() OVER (),
       'at', c.at, 'file_id', c.file_id, 'batch_no', no))).*
     FROM audit a, copy c, generate_series(1, ${batches}) no WHERE a.file_id = '${fileId}' AND a.batch_no = 1`,
    `SELECT setval('audit_seq', (SELECT max(seq) FROM audit))`,
    'DROP TABLE model, copy',
  ];
}

/** The batches of a busy day: those of one large file, of many small ones, and of small ones that are still open. */
const BUSY_DAY = { large: 2_000, small: 350, open: 200 } as const;

/**
 * Adds the files and batches of a busy day, as copies of one finished file and without their rows. One file has most of
 * the batches, so that the planner, which expects the average of each file, is as wrong as it gets. Statistics stay old,
 * as they are at the end of such a day.
 */
export async function fillBusyDay(app: App, model: { fileId: string }): Promise<void> {
  const { large, small, open } = BUSY_DAY;
  await forceStatements(app, [
    `CREATE TEMP TABLE part AS SELECT 0 AS n, no, false AS is_open FROM generate_series(1, ${large}) no
     UNION ALL SELECT n, 1, n > ${small} FROM generate_series(1, ${small + open}) n`,
    `INSERT INTO file OVERRIDING SYSTEM VALUE SELECT (jsonb_populate_record(f, jsonb_build_object(
       'file_no', 1000000 + n, 'file_id', 't0day' || lpad(n::text, 11, '0'), 'name', 'today-' || n || '.csv',
       'sha256', repeat('1', 56) || lpad(n::text, 8, '0'), 'state', CASE WHEN is_open THEN 'in_progress' ELSE f.state END,
       'valid_rows', parts * ${BATCH_ROWS}, 'valid_cents', parts * ${BATCH_ROWS} * 2500))).*
     FROM file f, (SELECT n, is_open, count(*) AS parts FROM part GROUP BY n, is_open) p
     WHERE f.file_id = '${model.fileId}'`,
    `INSERT INTO batch SELECT (jsonb_populate_record(b, jsonb_build_object(
       'file_id', 't0day' || lpad(n::text, 11, '0'), 'batch_no', no, 'batch_id', 'today-' || n || '-' || no,
       'rows', ${BATCH_ROWS}, 'cents', ${BATCH_ROWS} * 2500, 'next_recheck_at', NULL,
       'first_line', (no - 1) * ${BATCH_ROWS} + 1, 'last_line', no * ${BATCH_ROWS},
       'state', CASE WHEN is_open THEN 'submitted' ELSE b.state END,
       'final_at', CASE WHEN is_open THEN NULL ELSE b.final_at END))).*
     FROM batch b, part WHERE b.file_id = '${model.fileId}' AND b.batch_no = 1`,
    `INSERT INTO batch_outcome SELECT 1000000 + n, no, 'approved', ${BATCH_ROWS}, ${BATCH_ROWS} * 2500
     FROM part WHERE NOT is_open`,
    'DROP TABLE part',
  ]);
}

function invoiceOf(file: number, line: number): string {
  return `COPY${file}-${String(line).padStart(8, '0')}`;
}

/** No statement takes that long, in ms; the usual limit of a query is too short for tens of millions of rows. */
const LONGEST_MS = 3_600_000;

/** Runs statements on one connection with triggers off, because filling the ledger through them would take hours. */
export async function forceStatements({ ledger }: Pick<App, 'ledger'>, statements: readonly string[]): Promise<void> {
  const client = await ledger.pool.connect();
  try {
    await client.query(`SET session_replication_role = replica; SET synchronous_commit = off; SET statement_timeout = 0;
      SET maintenance_work_mem = '256MB'`);
    for (const text of statements) await client.query(Object.assign({ text }, { query_timeout: LONGEST_MS }));
  } finally {
    // Destroys the connection, because its settings would persist.
    client.release(true);
  }
}
