import type { FaultCode } from '../../../schemas/errors.ts';
import type { Ledger } from '../engine/open-ledger.ts';

/** A fault code of a file, its number of rows, and the details of the first. `line` is 0 for the file as a whole. */
export type FaultCount = { code: FaultCode; count: number; line: number; detail: string | null };

/**
 * Returns each code of a file once, in the order first found, with its rows. A row with two faulty cells counts once.
 */
export async function readFaultCounts(ledger: Ledger, fileNo: number): Promise<FaultCount[]> {
  const { rows } = await ledger.pool.query<FaultCount>(
    `SELECT f.code, n.count, f.line, f.detail
     FROM (SELECT code, count(DISTINCT line) AS count, min(seq) AS seq FROM row_fault WHERE file_no = $1 GROUP BY code) n
     JOIN row_fault f ON f.file_no = $1 AND f.seq = n.seq ORDER BY f.seq`,
    [fileNo],
  );
  return rows;
}

/** Faults of one code in one column, with the first lines that have them; the line 0 stands for the file. */
export type FaultGroup = Pick<ListedFault, 'code' | 'column' | 'detail'> & { faults: number; lines: number[] };

/** Faults to look at; a file may have one in each of its rows. */
const MOST_GROUPED = 50_000;

/** Returns the faults of a file by cause, in the order first found, at most 50 of them. */
export async function readFaultGroups({ pool }: Ledger, fileNo: number): Promise<FaultGroup[]> {
  const { rows } = await pool.query<FaultGroup>(
    `SELECT code, column_name AS "column", count(*) AS faults, (array_agg(line ORDER BY line))[1:10] AS lines,
            (array_agg(detail ORDER BY seq))[1] AS detail
     FROM (SELECT * FROM row_fault WHERE file_no = $1 ORDER BY seq LIMIT ${MOST_GROUPED}) f
     GROUP BY code, column_name ORDER BY min(seq) LIMIT 50`,
    [fileNo],
  );
  return rows;
}

/** Returns the number of faults of a file; one more than the most that is counted stands for any higher number. */
export async function countFaults({ pool }: Ledger, fileNo: number): Promise<number> {
  const { rows } = await pool.query<{ faults: number }>(
    `SELECT count(*) AS faults FROM (SELECT FROM row_fault WHERE file_no = $1 LIMIT ${MOST_COUNTED + 1}) f`,
    [fileNo],
  );
  return rows[0]!.faults;
}

export const MOST_COUNTED = 10_000;

/** A fault or warning of a file; `line` is 0 for the file as a whole, `value` is masked. */
export type ListedFault = {
  seq: number;
  line: number;
  column: string | null;
  code: FaultCode;
  detail: string | null;
  value: string | null;
  /** Whether the line has a row, which a file that cannot be split into rows lacks. */
  isRow: boolean;
};

/** Returns faults of a file in the order found, from the number `from` on. */
export async function listFaults(
  ledger: Ledger,
  fileNo: number,
  { from, limit }: { from: number; limit: number },
): Promise<ListedFault[]> {
  const { rows } = await ledger.pool.query<ListedFault>(
    `SELECT seq, line, column_name AS "column", code, detail, value,
            EXISTS (SELECT FROM payment_row r WHERE r.file_no = f.file_no AND r.line = f.line) AS "isRow"
     FROM row_fault f WHERE file_no = $1 AND seq >= $2 ORDER BY seq LIMIT $3`,
    [fileNo, from, limit],
  );
  return rows;
}

/** Returns the first ten faults with each of these codes, in the order of `codes`. */
export async function readFaultsOf(
  { pool }: Ledger,
  fileNo: number,
  codes: readonly FaultCode[],
): Promise<Pick<ListedFault, 'line' | 'code' | 'detail'>[]> {
  const { rows } = await pool.query<Pick<ListedFault, 'line' | 'code' | 'detail'>>(
    `SELECT f.line, f.code, f.detail FROM unnest($2::text[]) WITH ORDINALITY AS asked (code, place)
     CROSS JOIN LATERAL (SELECT seq, line, code, detail FROM row_fault r
                         WHERE r.file_no = $1 AND r.code = asked.code ORDER BY seq LIMIT 10) f
     ORDER BY asked.place, f.seq`,
    [fileNo, codes],
  );
  return rows;
}

/** Most rows to download because of their problems. */
export const MOST_FAULTY_LINES = 50_000;

/** Returns the first lines of a file that have a fault, with their codes. */
export async function readFaultyLines({ pool }: Ledger, fileNo: number): Promise<Map<number, FaultCode[]>> {
  const { rows } = await pool.query<{ line: number; codes: FaultCode[] }>(
    `SELECT line, array_agg(DISTINCT code ORDER BY code) AS codes FROM row_fault WHERE file_no = $1 AND line > 0
     GROUP BY line ORDER BY line LIMIT ${MOST_FAULTY_LINES}`,
    [fileNo],
  );
  return new Map(rows.map(({ line, codes }) => [line, codes]));
}
