import { BATCH_MOVES, FILE_MOVES, type BatchMove, type FileMove } from '../../../schemas/lifecycle.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { BatchRow, PlainFileRow } from './records.ts';
import { storableText } from './storable-text.ts';
import type { Transaction } from './transaction.ts';

/** Who moves, why, and what shows it. Goes into the audit trail as it is, so it never holds a number of a payer. */
export type Because = { actor: string; reason: string; evidence?: Record<string, unknown> };

/** Which batch: the file's id and our number within the file. */
export type BatchKey = { fileId: string; batchNo: number };

/**
 * Columns to write together with the new state, those that the database itself computes, and further conditions on the row
 * as it stands, such as the token of the worker that holds a batch. SQL names its values from $1, and the row as `file` or
 * `batch`.
 */
type With = { set?: Record<string, unknown>; compute?: Sql; where?: Sql };
export type Sql = { sql: string; values: unknown[] };

/**
 * Of a batch besides: a statement that is carried out together with the move, for the row in `moved` if there is one; and
 * something more to tell with that row, as it was when the move began.
 */
type WithAlso = With & { also?: Sql; tell?: string };

/**
 * The one way in which a file changes its state: a conditional update that names the state it starts from, with its
 * audit link.
 * @returns the file after the move, or undefined when it was not (any more) in the state the move starts from
 */
export async function moveFile(
  tx: Transaction,
  name: FileMove,
  fileId: string,
  because: Because,
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
  if (row) tx.audit({ ...because, fileId, move: name, from: move.from, to: move.to });
  return row;
}

/** The same for a batch, which keeps the reason as well. */
export async function moveBatch<Told extends object = object>(
  tx: Transaction,
  name: BatchMove,
  key: BatchKey,
  because: Because,
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
  if (row) tx.audit({ ...because, ...key, move: name, from: move.from, to: move.to });
  return row;
}

/** For moves that nobody else can have made in the meantime: not finding the state is a fault, not an event. */
export function mustMove<Row>(row: Row | undefined, action: string): Row {
  if (row === undefined) throw new PipelineError('MOVE_REFUSED', action);
  return row;
}

/** The same for moves of a person, before whom another or a worker may have been: it names the state that they left. */
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
  throw new PipelineError('MOVE_REFUSED', action, rows[0] && `it is ${rows[0].state.replaceAll('_', ' ')} now`);
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

/** What is added to a statement numbers its values from $1; here they follow the values before them. */
function renumber(glue: string, added: Sql | undefined, offset: number): Sql {
  if (!added) return { sql: '', values: [] };
  return { sql: glue + added.sql.replace(/\$(\d+)/g, (_, n) => `$${Number(n) + offset}`), values: added.values };
}
