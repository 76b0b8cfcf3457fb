import type { OutputKind } from '../../../schemas/lifecycle.ts';
import type { Ledger } from '../open-ledger.ts';
import { transact } from '../transaction.ts';
import { moveFile } from './move.ts';

export type NewOutput = {
  kind: OutputKind;
  number?: number;
  name: string;
  sha256: string;
  bytes: number;
  rows: number;
};

/** Notes an output file that was written and read back. Writing the same one again after a crash changes nothing. */
export async function recordOutput(ledger: Ledger, fileId: string, output: NewOutput): Promise<void> {
  const { kind, number = 0, name, sha256, bytes, rows } = output;
  await transact(ledger, async (tx) => {
    const { rowCount } = await tx.client.query(
      `INSERT INTO output (file_id, kind, number, name, sha256, bytes, rows, written_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (file_id, kind, number) DO NOTHING`,
      [fileId, kind, number, name, sha256, bytes, rows, tx.at],
    );
    if (rowCount === 0) return;
    tx.audit({
      actor: 'worker:deliver',
      fileId,
      move: 'output',
      reason: number === 0 ? `${kind} written` : `${kind} ${number} written`,
      evidence: { name, sha256, rows },
    });
  });
}

/**
 * Move `complete`, once every output is on disk and was read back. A file of which no row could be sent begins here.
 * @returns false when the file is not on its way, or a batch of it is still open
 */
export async function completeFile(
  ledger: Ledger,
  fileId: string,
  evidence: Record<string, unknown>,
): Promise<boolean> {
  return transact(ledger, async (tx) => {
    const actor = 'worker:deliver';
    await moveFile(tx, 'begin', fileId, { actor, reason: 'there was nothing to send' }, { where: NOTHING_OPEN });
    const because = { actor, reason: 'every row is final and the outputs are read back', evidence };
    return (await moveFile(tx, 'complete', fileId, because, { where: NOTHING_OPEN })) !== undefined;
  });
}

/** Whoever calls has looked before; the file must not be closed over a batch that can still be sent all the same. */
const NOTHING_OPEN = {
  sql: `NOT EXISTS (SELECT 1 FROM batch b WHERE b.file_id = file.file_id AND b.state NOT IN ('reconciled', 'cancelled'))`,
  values: [],
};
