import { findVolumes } from './fingerprint-volumes.ts';
import type { FileRow } from '../engine/records.ts';
import { CERTAINLY_NOT_CHARGED } from '../batch/conditions.ts';
import {
  AGED_FROM,
  type ChargedCode,
  invoiceOf,
  kindOf,
  seenAmongTwins,
  twinRangesOf,
  twinsInVolumes,
} from './find-charged-rows.ts';
import { ask, type Question } from '../engine/ask.ts';
import type { Transaction } from '../engine/transaction.ts';

/** How many rows were flagged with a code, and the detail of the first. */
export type FlaggedRows = { code: ChargedCode | 'LIKE_ROW'; rows: number; detail: string };

type FlagOptions = {
  /** Earlier files are ignored. */
  since: Date;
  /** Volume that received the fingerprints of the file. */
  volume: number;
  /** Number of the first of these faults within the file. */
  firstSeq: number;
  /** How many rows of the file have a fingerprint. */
  rows: number;
  /** From this many rows on, all rows of the other files are read instead of looking up each row. */
  manyRows?: number;
  /** Rows of other files read in one statement; no statement may run into the query timeout. */
  stepRows?: number;
};

/**
 * Flags rows that another file of the merchant holds, by their fingerprints (crypto/fingerprints/row-fingerprint.ts). Invoice,
 * amount and payer are the same, or without a relevant difference. A row counts unless it certainly was not and never
 * will be charged: declined, unreadable for the service, or cancelled. Rows without an invoice do not count.
 *
 * Runs inside the database, where the rows are: a file may have a million. Without another recent file, it reads
 * nothing.
 */
export async function flagChargedRows(tx: Transaction, file: FileRow, options: FlagOptions): Promise<FlaggedRows[]> {
  const { since, volume, rows, manyRows = MANY_ROWS } = options;
  const volumes = await findVolumes(tx.client, file.account, since);
  // A volume that this file began holds only its own rows, and those of files that were decided together with it.
  const others = volumes.filter((other) => volume !== file.file_no || other !== volume);
  if (others.length === 0) return [];
  if (rows >= manyRows) return flagByReading(tx, file, options);
  const [twins] = await ask(tx.client, findTwins([{ file, since, volume }]));
  return twins.has(file.file_no) ? flag(tx, file, options, LOOKED_UP, [others]) : [];
}

/** Whether the rows of a file are looked for by reading those of the others. */
export function isReadForTwins(rows: number): boolean {
  return rows >= MANY_ROWS;
}

/**
 * Asks for the numbers of those files, of one or many, of which a row may be in another file, by the fingerprints alone. Few
 * files have twins, and PostgreSQL takes many times longer to plan the whole statement of `flag` than this.
 */
export function findTwins(
  files: readonly (Pick<FlagOptions, 'since' | 'volume'> & { file: Pick<FileRow, 'file_no' | 'account'> })[],
): Question<ReadonlySet<number>> {
  return {
    sql: files.length === 0 ? undefined : FIND_TWINS,
    values: [
      files.map(({ file }) => file.file_no),
      files.map(({ file }) => file.account),
      files.map(({ since }) => since),
      files.map(({ volume }) => volume),
    ],
    read: (rows) => new Set((rows as { fileNo: number }[]).map(({ fileNo }) => fileNo)),
  };
}

// Never the whole range of an invoice and amount: all rows of a file may share it, and each would be compared with each.
const FIND_TWINS = `
  WITH asked AS MATERIALIZED (
    SELECT * FROM unnest($1::bigint[], $2::text[], $3::timestamptz[], $4::bigint[]) AS a (file_no, account, since, volume)),
  other AS MATERIALIZED (
    SELECT a.file_no, v.volume FROM asked a
    JOIN fingerprint_volume v ON v.merchant_no = merchant_of(a.account) AND v.newest_at >= a.since
      AND (v.volume <> a.volume OR a.volume <> a.file_no)),
  own AS MATERIALIZED (
    SELECT file_no, fingerprint FROM row_fingerprint
    WHERE file_no BETWEEN (SELECT min(file_no) FROM other) AND (SELECT max(file_no) FROM other) AND file_no = ANY ($1))
  SELECT DISTINCT own.file_no AS "fileNo" FROM other
  JOIN (SELECT * FROM own ORDER BY fingerprint) own USING (file_no)
  CROSS JOIN LATERAL ${twinRangesOf('own.fingerprint')} AS s (first, beyond)
  CROSS JOIN LATERAL (
    SELECT FROM row_fingerprint p WHERE p.volume = other.volume AND p.fingerprint >= s.first AND p.fingerprint < s.beyond
      AND p.file_no <> own.file_no LIMIT 1) twin`;

/** One look-up costs as much as reading about ten rows. */
const MANY_ROWS = 20_000;

async function flag(
  { client }: Transaction,
  { file_no: fileNo, operation }: FileRow,
  { since, firstSeq }: Pick<FlagOptions, 'since' | 'firstSeq'>,
  twins: string,
  which: unknown[],
): Promise<FlaggedRows[]> {
  const { rows } = await client.query<FlaggedRows>(`WITH ${twins}, ${FLAG_TWINS}`, [
    fileNo,
    since,
    CERTAINLY_NOT_CHARGED,
    operation,
    firstSeq,
    ...which,
  ]);
  return rows;
}

/** Compares with some files at a time. A row that is already flagged is not flagged again. */
async function flagByReading(tx: Transaction, file: FileRow, options: FlagOptions): Promise<FlaggedRows[]> {
  // The planner may know little about new rows; it must not compare each row with every other.
  await tx.client.query(
    `SET LOCAL enable_nestloop = off; SET LOCAL enable_mergejoin = off; SET LOCAL work_mem = '32MB'`,
  );
  const flagged = new Map<FlaggedRows['code'], FlaggedRows>();
  let { firstSeq } = options;
  for (const files of await groupFiles(tx, file, options)) {
    for (const found of await flag(tx, file, { ...options, firstSeq }, READ, [files])) {
      const before = flagged.get(found.code);
      flagged.set(found.code, { ...found, ...before, rows: found.rows + (before?.rows ?? 0) });
      firstSeq += found.rows;
    }
  }
  await tx.client.query(
    'SET LOCAL enable_nestloop TO DEFAULT; SET LOCAL enable_mergejoin TO DEFAULT; SET LOCAL work_mem TO DEFAULT',
  );
  return [...flagged.values()];
}

/** Groups the other files of the merchant, oldest first, so that one statement reads `stepRows` or slightly more. */
async function groupFiles(
  { client }: Transaction,
  file: FileRow,
  { since, stepRows = 3_000_000 }: FlagOptions,
): Promise<number[][]> {
  const { rows } = await client.query<{ fileNo: number; rows: number }>(
    `SELECT file_no AS "fileNo", coalesce(valid_rows, 0) AS rows FROM file
     WHERE merchant_no = (SELECT merchant_of($1)) AND ${AGED_FROM} >= $2 AND file_no <> $3 ORDER BY file_no`,
    [file.account, since, file.file_no],
  );
  const groups: number[][] = [];
  let room = 0;
  for (const { fileNo, rows: held } of rows) {
    if (room <= 0) {
      groups.push([]);
      room = stepRows;
    }
    groups.at(-1)!.push(fileNo);
    room -= held;
  }
  return groups;
}

const OWN = `
  own AS MATERIALIZED (
    SELECT line, fingerprint FROM row_fingerprint WHERE file_no = $1
  )`;

/** SQL: what the ledger knows about rows with a twin. */
const OWN_ROW = `own_row AS MATERIALIZED (
    SELECT line, invoice, customer_code, amount_cents, last_four FROM payment_row
    WHERE file_no = $1 AND line IN (SELECT line FROM twin)
  )`;

// Each row is first looked up by its fingerprint alone, which rarely matches; only matches are compared further. OFFSET
// 0 keeps the look-up separate, row by row through its index. Rows are sorted by fingerprint, so that consecutive ones
// are on the same page.
const lookUpTwins = (volumes: string) =>
  twinsInVolumes(volumes, '(SELECT * FROM own ORDER BY fingerprint)', 'AND p.file_no <> $1');
const LOOKED_UP = `${OWN}, twin AS MATERIALIZED (${lookUpTwins('$6')}
  ), ${OWN_ROW}`;

const NOT_FLAGGED = `NOT EXISTS (
      SELECT FROM row_fault d
      WHERE d.file_no = $1 AND d.line = own.line AND d.code IN ('CHARGED_BEFORE', 'LIKE_CHARGED')
    )`;

// All rows of a file have the same kind of payer.
const READ = `${OWN}, twin AS MATERIALIZED (
    SELECT own.line, e.file_no, e.line AS earlier_line, false AS other_kind
    FROM own JOIN (SELECT file_no, line, fingerprint FROM row_fingerprint WHERE file_no = ANY ($6)) e USING (fingerprint)
    WHERE ${NOT_FLAGGED}
    UNION ALL
    SELECT own.line, e.file_no, e.line, true
    FROM own JOIN (
      SELECT file_no, line, fingerprint FROM row_fingerprint
      WHERE file_no = ANY ($6) AND ${kindOf('fingerprint')} <> (SELECT ${kindOf('fingerprint')} FROM own LIMIT 1)
    ) e ON ${invoiceOf('e.fingerprint')} = ${invoiceOf('own.fingerprint')}
    WHERE ${NOT_FLAGGED}
  ), ${OWN_ROW}`;

const IS_RESUBMISSION = `EXISTS (
      SELECT FROM resubmission n JOIN file f ON f.file_id = n.new_file_id WHERE f.file_no = $1
    )`;

const FLAG_TWINS = `seen AS (${seenAmongTwins(IS_RESUBMISSION)}
  ), flagged AS (
    INSERT INTO row_fault (file_no, seq, line, code, detail)
    SELECT $1, $5 + row_number() OVER (ORDER BY line) - 1, line, code, detail FROM seen
    RETURNING seq, code, detail
  )
  SELECT code, count(*) AS rows, (array_agg(detail ORDER BY seq))[1] AS detail FROM flagged GROUP BY code ORDER BY code`;
