import { BATCH_MOVES, FILE_MOVES, type BatchMove, type FileMove } from '../../../schemas/lifecycle.ts';
import { saidState } from '../../../schemas/shown.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { BatchRow, PlainFileRow } from './records.ts';
import { storableText } from './storable-text.ts';
import type { Transaction } from './transaction.ts';

/** Who moves, why, on what evidence. The audit trail keeps it unchanged, so it never holds a card or account number. */
export type AuditReason = { actor: string; reason: string; evidence?: Record<string, unknown> };

/** Identifies a batch: the file's id and our number within the file. */
export type BatchKey = { fileId: string; batchNo: number };

export function keyOf(batch: Pick<BatchRow, 'file_id' | 'batch_no'>): BatchKey {
  return { fileId: batch.file_id, batchNo: batch.batch_no };
}

/**
 * Columns to write with the new state, columns that the database computes, and further conditions on the row, such as a
 * worker's token. SQL numbers its values from $1 and calls the row `file` or `batch`.
 */
type With = { set?: Record<string, unknown>; compute?: Sql; where?: Sql };
export type Sql = { sql: string; values: unknown[] };

/**
 * For a batch also a statement that runs with the move; it finds the moved row in `moved`. `tell` adds columns to the
 * returned row, as of the start of the move.
 */
type WithAlso = With & { also?: Sql; tell?: string };

/**
 * Moves a file to another state, which happens only here. A conditional update names the starting state and adds its
 * audit entry.
 * @returns the file after the move, or undefined when it was not, or no longer, in the starting state
 */
export async function moveFile(
  tx: Transaction,
  name: FileMove,
  fileId: string,
  because: AuditReason,
  options: With = {},
): Promise<PlainFileRow | undefined> {
  const move = FILE_MOVES.find((row) => row.name === name)!;
  const set = assignments(
    { state: move.to, state_at: tx.at, ...options.set },
    options.compute,
    2,
    `, known_at = ${tx.databaseNow}`,
  );
  const where = renumber(' AND ', options.where, 2 + set.values.length);
  const { rows } = await tx.client.query<PlainFileRow>(
    `UPDATE file SET ${set.sql} WHERE file_id = $1 AND state = $2${where.sql} RETURNING *`,
    [fileId, move.from, ...set.values, ...where.values],
  );
  const [row] = rows;
  if (row) noteFileMove(tx, name, fileId, row.account, because);
  return row;
}

/** Notes a move of a file that this transaction has made in another way: in the audit trail, and for monitoring. */
export function noteFileMove(
  tx: Transaction,
  name: FileMove,
  fileId: string,
  account: string,
  because: AuditReason,
): void {
  const { from, to } = FILE_MOVES.find((row) => row.name === name)!;
  tx.audit({ ...because, fileId, move: name, from, to });
  tx.count('paydrop_file_moves_total', { account, state: to });
}

/** Same for a batch, which also keeps the reason. */
export async function moveBatch<Told extends object = object>(
  tx: Transaction,
  name: BatchMove,
  key: BatchKey,
  because: AuditReason,
  options: WithAlso = {},
): Promise<(BatchRow & Told) | undefined> {
  const move = BATCH_MOVES.find((row) => row.name === name)!;
  const set = assignments(
    { state: move.to, state_at: tx.at, reason: because.reason, ...options.set },
    options.compute,
    3,
  );
  const where = renumber(' AND ', options.where, 3 + set.values.length);
  const also = renumber('', options.also, 3 + set.values.length + where.values.length);
  const told = options.tell ? `*, ${options.tell}` : '*';
  const update = `UPDATE batch SET ${set.sql} WHERE file_id = $1 AND batch_no = $2 AND state = $3${where.sql} RETURNING ${told}`;
  const { rows } = await tx.client.query<BatchRow & Told>(
    also.sql ? `WITH moved AS (${update}), also AS (${also.sql}) SELECT * FROM moved` : update,
    [key.fileId, key.batchNo, move.from, ...set.values, ...where.values, ...also.values],
  );
  const [row] = rows;
  if (row) noteBatchMove(tx, name, key, row.account, because);
  return row;
}

/** Notes a move of a batch that this transaction has made in another way: in the audit trail, and for monitoring. */
export function noteBatchMove(
  tx: Transaction,
  name: BatchMove,
  key: BatchKey,
  account: string,
  because: AuditReason,
): void {
  const { from, to } = BATCH_MOVES.find((row) => row.name === name)!;
  tx.audit({ ...because, ...key, move: name, from, to });
  tx.count('paydrop_batch_moves_total', { account, state: to });
}

/** Requires a move that no other process can have made first: a wrong state is a fault, not an event. */
export function mustMove<Row>(row: Row | undefined, action: string): Row {
  if (row === undefined) throw new PipelineError('MOVE_REFUSED', action);
  return row;
}

/** Same for a user's move, which another user or a worker may have preceded. The error names the state they left. */
export async function mustHaveMoved<Row>(
  tx: Transaction,
  { fileId, batchNo }: { fileId: string; batchNo?: number },
  row: Row | undefined,
  action: string,
): Promise<Row> {
  if (row !== undefined) return row;
  const { rows } = await tx.client.query<{ state: string }>(
    batchNo === undefined
      ? 'SELECT state FROM file WHERE file_id = $1'
      : 'SELECT state FROM batch WHERE file_id = $1 AND batch_no = $2',
    batchNo === undefined ? [fileId] : [fileId, batchNo],
  );
  throw new PipelineError('MOVE_REFUSED', action, rows[0] && `its state is now ${saidState(rows[0].state)}`);
}

function assignments(columns: Record<string, unknown>, compute: Sql | undefined, offset: number, more = ''): Sql {
  const names = Object.keys(columns);
  const computed = renumber(', ', compute, offset + names.length);
  return {
    sql: names.map((name, index) => `${name} = $${offset + index + 1}`).join(', ') + computed.sql + more,
    values: [
      ...Object.values(columns).map((value) => (typeof value === 'string' ? storableText(value) : value)),
      ...computed.values,
    ],
  };
}

/** Renumbers the values of an added clause, which start at $1, to follow the values before them. */
function renumber(glue: string, added: Sql | undefined, offset: number): Sql {
  if (!added) return { sql: '', values: [] };
  return { sql: glue + added.sql.replace(/\$(\d+)/g, (_, n) => `$${Number(n) + offset}`), values: added.values };
}
