import type { OutputKind } from '../../../schemas/lifecycle.ts';
import type { Ledger } from '../open-ledger.ts';
import { transact } from '../transaction.ts';
import { moveFile } from './move.ts';

export type NewOutput = { kind: OutputKind; name: string; sha256: string; bytes: number; rows: number };

/** Notes an output file that was written and read back. Writing the same one again after a crash changes nothing. */
export async function recordOutput(ledger: Ledger, fileId: string, output: NewOutput): Promise<void> {
  await transact(ledger, async (tx) => {
    const { rowCount } = await tx.client.query(
      `INSERT INTO output (file_id, kind, name, sha256, bytes, rows, written_at) VALUES ($1, $2, $3, $4, $5, $6, $7)
       ON CONFLICT (file_id, kind) DO NOTHING`,
      [fileId, output.kind, output.name, output.sha256, output.bytes, output.rows, tx.at],
    );
    if (rowCount === 0) return;
    const { kind, name, sha256, rows } = output;
    tx.audit({
      actor: 'worker:deliver',
      fileId,
      move: 'output',
      reason: `${kind} written`,
      evidence: { name, sha256, rows },
    });
  });
}

/** Move `complete`, once every output is on disk and was read back. A file of which no row could be sent begins here. */
export async function completeFile(
  ledger: Ledger,
  fileId: string,
  evidence: Record<string, unknown>,
): Promise<boolean> {
  return transact(ledger, async (tx) => {
    const because = { actor: 'worker:deliver', reason: 'every row is final and the outputs are read back', evidence };
    await moveFile(tx, 'begin', fileId, { actor: 'worker:deliver', reason: 'there was nothing to send' });
    return (await moveFile(tx, 'complete', fileId, because)) !== undefined;
  });
}
