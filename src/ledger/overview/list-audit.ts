import type { Ledger } from '../engine/open-ledger.ts';
import type { AuditRow } from '../file/search.ts';

export type AuditLink = AuditRow & { file_id: string | null };

/** Which audit entries to list; a field left out matches any. */
export type AuditFilter = {
  since?: Date;
  /** Exclusive. */
  until?: Date;
  /** Beginning of the actor, such as `operator:` or `operator:ada`. */
  actor?: string;
  fileId?: string;
  move?: string;
  /** Only entries older than the one with this number, to continue after a page. */
  before?: number;
  limit: number;
};

/** Returns the newest matching entries, oldest first. */
export async function listAudit(ledger: Ledger, { limit, ...filter }: AuditFilter): Promise<AuditLink[]> {
  const { where, values } = conditionsOf(filter);
  // Between two moments, the index by time locates the entries. PostgreSQL would rather walk back from the end of the
  // trail, because it expects them everywhere. Ordering by an expression that no index has prevents that.
  const order = filter.since && filter.until ? 'seq + 0' : 'seq';
  const { rows } = await ledger.pool.query<AuditLink>(
    `SELECT * FROM (
       SELECT seq, at, actor, file_id, batch_no, move, from_state, to_state, reason, evidence FROM audit
       WHERE ${where} ORDER BY ${order} DESC LIMIT $1) newest
     ORDER BY seq`,
    [limit, ...values],
  );
  return rows;
}

/** Builds the condition from the given fields alone, so that each filter finds its index. */
function conditionsOf({ since, until, actor, fileId, move, before }: Omit<AuditFilter, 'limit'>) {
  const asked: readonly (readonly [condition: string, value: unknown])[] = [
    ['at >= ?', since],
    ['at < ?', until],
    ['starts_with(actor, ?)', actor],
    // Tells PostgreSQL that the index `audit_by_person`, which has no other entries, suffices.
    [`starts_with(actor, 'operator:') AND ?::text IS NOT NULL`, actor?.startsWith('operator:') ? actor : undefined],
    ['file_id = ?', fileId],
    ['move = ?', move],
    ['seq < ?', before],
  ];
  const given = asked.filter(([, value]) => value !== undefined);
  const where = given.map(([condition], index) => condition.replace('?', `$${index + 2}`)).join(' AND ');
  return { where: where || 'true', values: given.map(([, value]) => value) };
}

/** Returns the end of the chain. Recorded elsewhere, it proves later that nothing up to here was altered. */
export async function readAuditHead(ledger: Ledger): Promise<{ seq: number; hash: string }> {
  const { rows } = await ledger.pool.query<{ seq: number; hash: string }>(
    `SELECT seq, encode(hash, 'hex') AS hash FROM audit_head`,
  );
  return rows[0]!;
}
