import { byNumber, counted } from '../../kernel/counted.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import { transact } from '../engine/transaction.ts';
import type { AuditReason } from '../engine/move.ts';

/**
 * Bars a master key forever: from now on the database refuses what it wraps, from any process. Both tables are locked
 * meanwhile, so a file being taken in is either counted or refused. May be repeated.
 * @throws KEY_IN_USE while it is the current one or wraps anything; then nothing was changed
 */
export async function retireKey(ledger: Ledger, id: string, because: AuditReason): Promise<void> {
  await transact(ledger, async (tx) => {
    await tx.client.query('LOCK TABLE file_secret, vault_key IN SHARE ROW EXCLUSIVE MODE');
    const { rows } = await tx.client.query<{ current: boolean; used: number }>(
      `SELECT EXISTS (SELECT FROM master_key WHERE key_id = $1 AND is_current) AS current,
              (SELECT count(*)::int FROM file_secret WHERE wrapped_by(wrapped_key) = $1)
              + (SELECT count(*)::int FROM vault_key WHERE wrapped_by(wrapped) = $1) AS used`,
      [id],
    );
    const { current, used } = rows[0]!;
    const action = `retire master key "${id}"`;
    if (current) throw new PipelineError('KEY_IN_USE', action, 'it is the current one');
    if (used > 0)
      throw new PipelineError(
        'KEY_IN_USE',
        action,
        `${counted(used, 'key')} ${byNumber(used, 'is', 'are')} wrapped with it`,
      );
    const { rowCount } = await tx.client.query(
      `INSERT INTO master_key (key_id, since, retired_at) VALUES ($1, $2, $2)
       ON CONFLICT (key_id) DO UPDATE SET retired_at = $2 WHERE master_key.retired_at IS NULL`,
      [id, tx.at],
    );
    if (rowCount) tx.audit({ ...because, move: 'retire-key', evidence: { key: id } });
  });
}
