import { crashPoint } from '../../kernel/crash-point.ts';
import { CERTAINLY_NOT_CHARGED, IS_FINAL_FILE, IS_OPEN, IS_TAKEN } from '../../ledger/batch/conditions.ts';
import { IS_DELIVERABLE } from '../../ledger/batch/due-work.ts';
import { mustBeOpen } from '../../ledger/admission/close-ledger.ts';
import type { AuditReason } from '../../ledger/engine/move.ts';
import type { Ledger } from '../../ledger/engine/open-ledger.ts';
import { transact } from '../../ledger/engine/transaction.ts';
import type { ArchivableFile, ArchiveSums } from './read-archived.ts';

/**
 * The rows of finished files move into archives. An archive is written, synced and read back. Then one transaction
 * compares it with the ledger, records it and marks its files. From then on the rows count as gone, and they are deleted
 * in slices. So a crash leaves an archive that nobody knows, or rows that the next run deletes.
 */

/** Which files of an account may be archived. */
export type ArchiveOrder = {
  account: string;
  before: Date;
  /** Files as young as this stay, and so do those as close to the oldest open work of the account. */
  keepMs: number;
};

/** Files whose last event is before `at`, which `by` sets, except the newest, by their numbers. */
export type ArchiveCut = { at: Date; by: 'before' | 'age' | 'open'; newest: number[] };

/** Returns up to when files may be archived, by the slower of the two clocks. */
export async function readArchiveCut(ledger: Ledger, order: ArchiveOrder): Promise<ArchiveCut> {
  const { rows } = await ledger.pool.query<{ age: Date; open: Date | null; newest: number[] }>(
    `SELECT ARRAY${NEWEST_OF} AS newest, least($2::timestamptz, ${ledger.databaseNow()}) - $3::float8 * interval '1 ms' AS age,
            least((SELECT min(claimed_at) FROM file WHERE account = $1 AND NOT ${IS_FINAL_FILE}),
                  (SELECT min(f.claimed_at) FROM batch b JOIN file f USING (file_id)
                   WHERE b.account = $1 AND b.${IS_OPEN})) - $3::float8 * interval '1 ms' AS open`,
    [order.account, ledger.clock.now(), order.keepMs],
  );
  const { age, open, newest } = rows[0]!;
  const cuts: Omit<ArchiveCut, 'newest'>[] = [
    { at: order.before, by: 'before' },
    { at: age, by: 'age' },
    ...(open === null ? [] : [{ at: open, by: 'open' } as const]),
  ];
  return { ...cuts.reduce((first, cut) => (cut.at < first.at ? cut : first)), newest };
}

/** Files of an account that earlier-file checks compare a new one with (find-duplicate.ts), for each layout. */
const NEWEST = 20;

/** SQL: the last event of a file `f`, by the later of two clocks. */
const LAST_AT = 'greatest(f.claimed_at, f.aged_from, f.state_at, f.known_at)';

/** SQL: the rows of a file `f` are still needed, or may still change. */
const IS_NEEDED = `(EXISTS (SELECT FROM batch b WHERE b.file_id = f.file_id AND (b.${IS_OPEN} OR b.next_recheck_at IS NOT NULL))
       OR EXISTS (SELECT FROM proposal p WHERE p.file_id = f.file_id AND p.verdict IS NULL)
       OR EXISTS (SELECT FROM row_change c WHERE c.file_no = f.file_no)
       OR EXISTS (SELECT FROM unknown_row u WHERE u.file_no = f.file_no AND NOT u.is_closed)
       OR EXISTS (SELECT FROM reprocess_item i WHERE i.file_id = f.file_id AND i.result IS NULL)
       OR EXISTS (SELECT FROM resubmission s LEFT JOIN file n ON n.file_id = s.new_file_id
                  WHERE s.file_id = f.file_id AND (n.file_id IS NULL OR NOT n.${IS_FINAL_FILE}))
       OR ${IS_DELIVERABLE})`;

/** SQL: the file numbers of `NEWEST`. */
const NEWEST_OF = `(SELECT file_no FROM (
       SELECT file_no, row_number() OVER (PARTITION BY layout ORDER BY file_no DESC) AS n
       FROM file WHERE account = $1 AND ${IS_TAKEN}) taken WHERE n <= ${NEWEST})`;

/** What would be archived, and the finished files from before that stay although they are old enough. Integer cents. */
export type Archivable = { files: number; rows: number; cents: number; unpaid: number; needed: number; newest: number };

export async function countArchivable(
  { pool }: Ledger,
  { account }: ArchiveOrder,
  cut: ArchiveCut,
): Promise<Archivable> {
  const { rows } = await pool.query<Archivable>(
    `WITH old AS MATERIALIZED (
       SELECT f.file_no, f.records, coalesce(f.valid_cents, 0) AS cents,
              f.file_no = ANY ($4) AS is_newest, ${IS_NEEDED} AS is_needed
       FROM file f WHERE f.account = $1 AND f.archive_no IS NULL AND f.${IS_FINAL_FILE} AND ${LAST_AT} < $2
     ), going AS (SELECT * FROM old WHERE NOT is_newest AND NOT is_needed)
     SELECT (SELECT count(*) FROM going) AS files,
            (SELECT coalesce(sum(records), 0)::bigint FROM going) AS rows,
            (SELECT coalesce(sum(cents), 0)::bigint FROM going) AS cents,
            (SELECT coalesce(sum(o.rows), 0)::bigint FROM batch_outcome o JOIN going USING (file_no)
             WHERE o.outcome = ANY ($3)) AS unpaid,
            (SELECT count(*) FROM old WHERE is_needed) AS needed,
            (SELECT count(*) FROM old WHERE is_newest AND NOT is_needed) AS newest`,
    [account, cut.at, CERTAINLY_NOT_CHARGED, cut.newest],
  );
  return rows[0]!;
}

/**
 * Returns files whose rows may be archived, oldest first.
 * @param among only these, and locks them until the transaction ends
 */
export async function findArchivable(
  { pool }: { pool: { query: Ledger['pool']['query'] } },
  account: string,
  cut: ArchiveCut,
  { after = 0, among, most = 1_000 }: { after?: number; among?: readonly number[]; most?: number },
): Promise<ArchivableFile[]> {
  const values = [account, cut.at, after, among ?? null, most, cut.newest];
  if (among) await pool.query('SELECT FROM file WHERE file_no = ANY ($1) ORDER BY file_no FOR UPDATE', [among]);
  const { rows } = await pool.query<ArchivableFile>(
    `SELECT f.file_no AS "fileNo", f.file_id AS "fileId", coalesce(f.records, 0) AS rows FROM file f
     WHERE f.account = $1 AND f.archive_no IS NULL AND f.${IS_FINAL_FILE} AND ${LAST_AT} < $2 AND f.file_no > $3
       AND ($4::bigint[] IS NULL OR f.file_no = ANY ($4)) AND f.file_no <> ALL ($6) AND NOT ${IS_NEEDED}
     ORDER BY f.file_no LIMIT $5`,
    values,
  );
  return rows;
}

/** An archive that was written and read back. */
export type NewArchive = ArchiveSums & { name: string; bytes: number; sha256: string };

/**
 * Records an archive, unless one of its files may no longer be archived or the ledger holds anything else of them.
 * @returns its number; undefined when nothing was recorded
 */
export async function recordArchive(
  ledger: Ledger,
  { account, cut, files }: { account: string; cut: ArchiveCut; files: readonly ArchivableFile[] },
  made: NewArchive,
  because: AuditReason,
): Promise<number | undefined> {
  const numbers = files.map(({ fileNo }) => fileNo);
  return transact(ledger, async (tx) => {
    await mustBeOpen(tx);
    const still = await findArchivable({ pool: tx.client }, account, cut, { among: numbers, most: numbers.length });
    if (still.length !== numbers.length || !isSame(await readSums(tx.client, files), made)) return undefined;
    const { rows } = await tx.client.query<{ no: number }>(
      `INSERT INTO row_archive (account, name, host, made_at, bytes, sha256)
       VALUES ($1, $2, $3, $4, $5, $6) RETURNING archive_no AS no`,
      [account, made.name, ledger.instance.host, tx.at, made.bytes, made.sha256],
    );
    const { no } = rows[0]!;
    await tx.client.query(`UPDATE file SET archive_no = $2 WHERE file_no = ANY ($1)`, [numbers, no]);
    await tx.client.query(KEEP_SUMS, [numbers]);
    await tx.client.query(KEEP_INVOICES, [numbers, no]);
    const { rows: counts, cents, bytes, sha256, name } = made;
    const evidence = { account, archive: name, files: files.length, rows: counts, cents, bytes, sha256 };
    tx.audit({ ...because, move: 'archive-rows', evidence });
    return no;
  });
}

const KEEP_SUMS = `
  INSERT INTO archived_file (file_no, sent_rows, sent_cents, withheld_rows, withheld_cents)
  SELECT f.file_no, count(r.batch_no), coalesce(sum(r.amount_cents) FILTER (WHERE r.batch_no IS NOT NULL), 0),
         count(r.line) - count(r.batch_no), coalesce(sum(r.amount_cents) FILTER (WHERE r.batch_no IS NULL), 0)
  FROM file f LEFT JOIN payment_row r USING (file_no) WHERE f.file_no = ANY ($1) GROUP BY f.file_no`;

const KEEP_INVOICES = `
  INSERT INTO archived_invoice (bucket, archive_no, entries)
  SELECT (hash >> 56) & 255, $2, array_agg((hash & -4096) | place)
  FROM (SELECT DISTINCT invoice_hash(r.invoice) AS hash, n.place - 1 AS place
        FROM unnest($1::bigint[]) WITH ORDINALITY AS n (file_no, place) JOIN payment_row r USING (file_no)
        WHERE r.invoice <> '') known GROUP BY 1`;

async function readSums(
  client: { query: Ledger['pool']['query'] },
  files: readonly ArchivableFile[],
): Promise<ArchiveSums> {
  const { rows } = await client.query<ArchiveSums>(
    `SELECT (SELECT count(*) FROM payment_row WHERE file_no = ANY ($1)) AS rows,
            (SELECT coalesce(sum(amount_cents), 0)::bigint FROM payment_row WHERE file_no = ANY ($1)) AS cents,
            (SELECT count(*) FROM row_outcome WHERE file_no = ANY ($1)) AS outcomes,
            (SELECT count(*) FROM row_fault WHERE file_no = ANY ($1)) AS faults,
            (SELECT count(*) FROM sealed_part WHERE file_id = ANY ($2)) AS parts`,
    [files.map(({ fileNo }) => fileNo), files.map(({ fileId }) => fileId)],
  );
  return rows[0]!;
}

function isSame(one: ArchiveSums, other: ArchiveSums): boolean {
  return (['rows', 'cents', 'outcomes', 'faults', 'parts'] as const).every((name) => one[name] === other[name]);
}

/** Rows deleted in one transaction. */
const SLICE_ROWS = 20_000;

/**
 * Deletes what archived files still have in the tables of rows, in slices. After a crash it continues where it was.
 * @param isStopping asked between two slices
 * @returns how many files are finished
 */
export async function emptyArchived({ pool, clock }: Ledger, isStopping: () => boolean = () => false): Promise<number> {
  for (let done = 0; ; ) {
    const { rows } = await pool.query<{ fileNo: number; fileId: string; rows: number }>(
      `SELECT file_no AS "fileNo", file_id AS "fileId", greatest(sent_rows + withheld_rows, 1) AS rows
       FROM archived_file JOIN file USING (file_no) WHERE emptied_at IS NULL ORDER BY file_no LIMIT 1000`,
    );
    if (rows.length === 0) return done;
    for (let from = 0; from < rows.length; ) {
      let to = from;
      for (let sum = 0; to < rows.length && (to === from || sum + rows[to]!.rows <= SLICE_ROWS); to += 1)
        sum += rows[to]!.rows;
      const files = rows.slice(from, to);
      const numbers = files.map(({ fileNo }) => fileNo);
      for (const table of ['payment_row', 'row_outcome', 'row_fault']) {
        let deleted: number | null;
        do {
          if (isStopping()) return done;
          ({ rowCount: deleted } = await pool.query(
            `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE file_no = ANY ($1) LIMIT $2))`,
            [numbers, SLICE_ROWS],
          ));
          crashPoint('archive.slice-deleted');
        } while (deleted === SLICE_ROWS);
      }
      await pool.query('DELETE FROM sealed_part WHERE file_id = ANY ($1)', [files.map(({ fileId }) => fileId)]);
      await pool.query('UPDATE archived_file SET emptied_at = $2 WHERE file_no = ANY ($1)', [numbers, clock.now()]);
      done += files.length;
      from = to;
    }
  }
}
