import type { Ledger } from '../open-ledger.ts';
import type { AuditRow } from './search.ts';

export type AuditLink = AuditRow & { file_id: string | null };

/** Which links of the audit trail are wanted; what is left out does not matter. */
export type AuditFilter = { since?: Date; actor?: string; fileId?: string; limit: number };

/** The newest links that fit, the oldest of them first. An actor fits by its beginning, such as `operator:`. */
export async function listAudit(ledger: Ledger, { since, actor, fileId, limit }: AuditFilter): Promise<AuditLink[]> {
  const { rows } = await ledger.pool.query<AuditLink>(
    `SELECT * FROM (
       SELECT seq, at, actor, file_id, batch_no, move, from_state, to_state, reason, evidence FROM audit
       WHERE ($1::timestamptz IS NULL OR at >= $1) AND ($2::text IS NULL OR starts_with(actor, $2))
         AND ($3::text IS NULL OR file_id = $3)
       ORDER BY seq DESC LIMIT $4) newest
     ORDER BY seq`,
    [since ?? null, actor ?? null, fileId ?? null, limit],
  );
  return rows;
}

/** Where the chain ends. Noted elsewhere, it shows later that nothing up to here was altered. */
export async function readAuditHead(ledger: Ledger): Promise<{ seq: number; hash: string }> {
  const { rows } = await ledger.pool.query<{ seq: number; hash: string }>(
    `SELECT seq, encode(hash, 'hex') AS hash FROM audit_head`,
  );
  return rows[0]!;
}
