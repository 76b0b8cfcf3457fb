import type { OutputKind } from '../../../schemas/lifecycle.ts';
import { queryInOne } from '../engine/query-together.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import { type Transaction, transact } from '../engine/transaction.ts';
import { moveFile } from '../engine/move.ts';

export type NewOutput = {
  kind: OutputKind;
  number?: number;
  name: string;
  sha256: string;
  bytes: number;
  rows: number;
};

/** Records outputs that were written and read back. Recording them again after a crash changes nothing. */
export async function recordOutput(ledger: Ledger, fileId: string, ...outputs: readonly NewOutput[]): Promise<void> {
  await transact(ledger, (tx) => noteOutputs(tx, fileId, outputs));
}

async function noteOutputs(tx: Transaction, fileId: string, outputs: readonly NewOutput[]): Promise<void> {
  const { rows: noted } = await tx.client.query<{ kind: OutputKind; number: number }>(
    `INSERT INTO output (file_id, kind, number, name, sha256, bytes, rows, written_at)
     SELECT $1, kind, coalesce(number, 0), name, sha256, bytes, rows, $2
     FROM jsonb_to_recordset($3) AS new (kind text, number integer, name text, sha256 text, bytes bigint, rows integer)
     ON CONFLICT (file_id, kind, number) DO NOTHING RETURNING kind, number`,
    [fileId, tx.at, JSON.stringify(outputs)],
  );
  for (const { kind, number = 0, name, sha256, rows } of outputs) {
    if (!noted.some((output) => output.kind === kind && output.number === number)) continue;
    tx.audit({
      actor: 'worker:deliver',
      fileId,
      move: 'output',
      reason: number === 0 ? `${kind} written` : `${kind} ${number} written`,
      evidence: { name, sha256, rows },
    });
  }
}

/**
 * Makes the move `complete`, once every output is on disk and was read back. Without a row to send, it makes `begin`
 * first.
 * @param outputs the last ones, recorded together with the move; those recorded before may be left out
 * @returns false when the file is not in progress or a batch is still open; the outputs are recorded anyway
 */
export async function completeFile(
  ledger: Ledger,
  fileId: string,
  evidence: Record<string, unknown>,
  outputs: readonly NewOutput[] = [],
): Promise<boolean> {
  return transact(ledger, async (tx) => {
    const actor = 'worker:deliver';
    const because = { actor, reason: 'every row is final and the outputs are read back', evidence };
    const complete = (by: Transaction = tx) => moveFile(by, 'complete', fileId, because, { where: NOTHING_OPEN });
    const [, completed] = await queryInOne(tx, (asked) => [
      outputs.length > 0 && noteOutputs(asked, fileId, outputs),
      complete(asked),
    ]);
    if (completed) return true;
    const nothingSent = { actor, reason: 'there was nothing to send' };
    if (!(await moveFile(tx, 'begin', fileId, nothingSent, { where: NOTHING_OPEN }))) return false;
    return (await complete()) !== undefined;
  });
}

/** The caller has checked before, but a file must never be closed over a batch that can still be sent. */
const NOTHING_OPEN = {
  sql: `NOT EXISTS (SELECT 1 FROM batch b WHERE b.file_id = file.file_id AND b.state NOT IN ('reconciled', 'cancelled'))`,
  values: [],
};
