import { findVolumes } from './fingerprint-volumes.ts';
import type { FileRow } from './records.ts';
import { CERTAINLY_NOT_CHARGED } from './queries/may-be-charged.ts';
import { SEEN_AMONG_TWINS } from './queries/find-charged-rows.ts';
import type { Transaction } from './transaction.ts';

/** How many rows were flagged, and what is said of the first. */
export type FlaggedRows = { rows: number; detail: string };

type FlagOptions = {
  /** Files that were claimed before are not looked at. */
  since: Date;
  /** Into which the fingerprints of the file went. */
  volume: number;
  /** Number of the first of these faults within the file. */
  firstSeq: number;
  /** How many rows of the file have a fingerprint. */
  rows: number;
  /** From so many on, all rows of the other files are read instead of each of these being looked up. */
  manyRows?: number;
  /** Rows of other files that are read in one statement; none may take so long that its answer is given up. */
  stepRows?: number;
};

/**
 * Flags the rows of a file that stand in another one, by their fingerprints: same account, operation, invoice, amount
 * and payer (F71). A row counts as seen unless it is certain that it was not charged and never will be: it was declined,
 * could not be read by the service, or was cancelled. Rows without an invoice do not count.
 *
 * Done inside the database, where the rows are already: a file may have a million. Where no other file of the account is
 * young enough, nothing is looked at.
 */
export async function flagChargedRows(tx: Transaction, file: FileRow, options: FlagOptions): Promise<FlaggedRows> {
  const { since, volume, rows, manyRows = MANY_ROWS } = options;
  const volumes = await findVolumes(tx.client, file.account, since);
  // In a volume that it began itself there is nothing but its own rows.
  const others = volumes.filter((other) => volume !== file.file_no || other !== volume);
  if (others.length === 0) return { rows: 0, detail: '' };
  return rows < manyRows ? flag(tx, file, options, LOOKED_UP, [others]) : flagByReading(tx, file, options);
}

/** A look-up costs as much as reading some ten rows. */
const MANY_ROWS = 20_000;

async function flag(
  { client }: Transaction,
  { file_no: fileNo }: FileRow,
  { since, firstSeq }: Pick<FlagOptions, 'since' | 'firstSeq'>,
  twins: string,
  which: unknown[],
): Promise<FlaggedRows> {
  const { rows } = await client.query<{ rows: number; detail: string | null }>(`WITH ${twins}, ${FLAG_TWINS}`, [
    fileNo,
    since,
    CERTAINLY_NOT_CHARGED,
    firstSeq,
    ...which,
  ]);
  return { rows: rows[0]!.rows, detail: rows[0]!.detail ?? '' };
}

/** Some files at a time. A row that was flagged already is not flagged once more. */
async function flagByReading(tx: Transaction, file: FileRow, options: FlagOptions): Promise<FlaggedRows> {
  // Whatever the planner knows of rows that came a moment ago, it must not compare each with each.
  await tx.client.query(
    `SET LOCAL enable_nestloop = off; SET LOCAL enable_mergejoin = off; SET LOCAL work_mem = '32MB'`,
  );
  const flagged = { rows: 0, detail: '' };
  for (const files of await groupFiles(tx, file, options)) {
    const found = await flag(tx, file, { ...options, firstSeq: options.firstSeq + flagged.rows }, READ, [files]);
    flagged.rows += found.rows;
    flagged.detail ||= found.detail;
  }
  await tx.client.query(
    'SET LOCAL enable_nestloop TO DEFAULT; SET LOCAL enable_mergejoin TO DEFAULT; SET LOCAL work_mem TO DEFAULT',
  );
  return flagged;
}

/** The other files of the account, the oldest first, so many together that one statement reads `stepRows` or a little more. */
async function groupFiles(
  { client }: Transaction,
  file: FileRow,
  { since, stepRows = 3_000_000 }: FlagOptions,
): Promise<number[][]> {
  const { rows } = await client.query<{ fileNo: number; rows: number }>(
    `SELECT file_no AS "fileNo", coalesce(valid_rows, 0) AS rows FROM file
     WHERE account = $1 AND claimed_at >= $2 AND file_no <> $3 ORDER BY file_no`,
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

/** SQL: the rows of the file that are compared. */
const OWN = `
  own AS MATERIALIZED (
    SELECT line, print FROM row_print WHERE file_no = $1
  )`;

// First every row is looked up by its fingerprint alone, which nearly never finds one; what is known of the other rows is
// asked of those found only. OFFSET 0 keeps the look-up apart, row by row by its index. In the order of their prints,
// because rows that follow each other are then found on the same page.
const LOOKED_UP = `${OWN}, twin AS MATERIALIZED (
    SELECT own.line, e.file_no, e.line AS earlier_line
    FROM unnest($5::bigint[]) AS v (volume) CROSS JOIN (SELECT * FROM own ORDER BY print) own CROSS JOIN LATERAL (
      SELECT file_no, line FROM row_print p
      WHERE p.volume = v.volume AND p.print = own.print AND p.file_no <> $1 OFFSET 0
    ) e
  )`;

const READ = `${OWN}, twin AS MATERIALIZED (
    SELECT own.line, e.file_no, e.line AS earlier_line
    FROM own JOIN (SELECT file_no, line, print FROM row_print WHERE file_no = ANY ($5)) e USING (print)
    WHERE NOT EXISTS (SELECT FROM row_fault d WHERE d.file_no = $1 AND d.line = own.line AND d.code = 'CHARGED_BEFORE')
  )`;

const FLAG_TWINS = `seen AS (${SEEN_AMONG_TWINS}
  ), flagged AS (
    INSERT INTO row_fault (file_no, seq, line, code, detail)
    SELECT $1, $4 + row_number() OVER (ORDER BY line) - 1, line, 'CHARGED_BEFORE',
           'line ' || earlier_line || ' of file ' || file_id
    FROM seen
    RETURNING seq, line, detail
  )
  SELECT count(*) AS rows, (SELECT detail FROM flagged ORDER BY seq LIMIT 1) AS detail FROM flagged`;
