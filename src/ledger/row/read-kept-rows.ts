import type { Ledger } from '../engine/open-ledger.ts';
import type { LedgerRow } from '../engine/records.ts';

/** As of which correction outcomes are read: 0 for the first ones, left out for the current ones. */
export type AsOf = { correctionNo?: number };

/** Larger than any correction number. */
export const NOW = 2_147_483_647;

/** A range of lines, both ends included. */
export type LineRange = { readonly from: number; readonly to: number };

/** What is known about a row when its file is done: whether it was sent, and its outcome. */
export type KeptRow = Pick<LedgerRow, 'line' | 'batch_no' | 'amount_cents' | keyof RowOutcome>;

export type RowOutcome = Pick<LedgerRow, 'outcome' | 'code' | 'message' | 'authorization'>;

export const NO_OUTCOME: RowOutcome = { outcome: null, code: null, message: null, authorization: null };

/**
 * Returns the rows of a line range with their outcomes, in line order.
 *
 * A file may have a million new rows that the planner does not know about yet. So lines are named by their bounds, for
 * which only the primary key fits, and nothing is joined. Rows and outcomes are queried separately and merged here.
 * Each column comes as one value, because row objects of the driver cost more than all the rest.
 */
export async function readKeptRows(
  ledger: Ledger,
  fileNo: number,
  range: LineRange,
  { correctionNo = NOW }: AsOf = {},
): Promise<KeptRow[]> {
  const [{ rows: found }, changes] = await Promise.all([
    ledger.pool.query<{
      rows: Columns<'line' | 'batch_no' | 'amount_cents'>;
      outcomes: Columns<'line' | keyof RowOutcome>;
    }>(ROWS_AND_OUTCOMES, [fileNo, range.from, range.to]),
    correctionNo === 0 ? new Map<number, RowOutcome>() : readChanged(ledger, fileNo, range, correctionNo),
  ]);
  const { rows, outcomes } = found[0]!;
  if (!rows.line) return [];
  let next = 0;
  return rows.line.map((line, place): KeptRow => {
    const row = { line, batch_no: rows.batch_no[place]!, amount_cents: rows.amount_cents[place]! };
    if (outcomes.line?.[next] !== line) return { ...row, ...NO_OUTCOME };
    const at = next;
    next += 1;
    const changed = changes.get(line);
    if (changed) return { ...row, ...changed };
    return {
      ...row,
      outcome: outcomes.outcome[at]!,
      code: outcomes.code[at]!,
      message: outcomes.message[at]!,
      authorization: outcomes.authorization[at]!,
    };
  });
}

/** Values of each column, in line order; all are null when there is no row. */
type Columns<Names extends keyof KeptRow> = { [Name in Names]: KeptRow[Name][] };

const ROWS_AND_OUTCOMES = `
  SELECT (${columns('payment_row', 'line', 'batch_no', 'amount_cents')}) AS rows,
         (${columns('row_outcome', 'line', 'outcome', 'code', 'message', 'authorization')}) AS outcomes`;

function columns(table: string, ...names: readonly (keyof KeptRow)[]): string {
  const arrays = names.map((name) => `'${name}', json_agg("${name}")`).join(', ');
  const list = names.map((name) => `"${name}"`).join(', ');
  return `SELECT json_build_object(${arrays})
          FROM (SELECT ${list} FROM ${table} WHERE file_no = $1 AND line BETWEEN $2 AND $3 ORDER BY line) page`;
}

/** Returns the last change of each row in a range, up to a correction. Few rows ever change. */
export async function readChanged(
  ledger: Ledger,
  fileNo: number,
  { from, to }: LineRange,
  correctionNo: number,
): Promise<Map<number, RowOutcome>> {
  const { rows } = await ledger.pool.query<RowOutcome & { line: number }>(
    `SELECT DISTINCT ON (line) line, outcome, code, message, "authorization" FROM row_change
     WHERE file_no = $1 AND line BETWEEN $2 AND $3 AND correction_no <= $4 ORDER BY line, correction_no DESC`,
    [fileNo, from, to, correctionNo],
  );
  return new Map(rows.map(({ line, ...outcome }) => [line, outcome]));
}
