import type { BatchMove, FileMove, RunMove } from '../../../schemas/lifecycle.ts';
import type { LedgerReader } from '../engine/list-page.ts';
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
  /** Only entries newer than the one with this number. */
  newerThan?: number;
  /** Only entries up to this number, such as `readSettledEnd` returns. */
  upTo?: number;
};

/**
 * Returns the newest matching entries, oldest first.
 * @param page.isFromOldest returns the oldest matching entries instead
 */
export async function listAudit(
  { pool }: LedgerReader,
  { limit, isFromOldest = false, ...filter }: AuditFilter & { limit: number; isFromOldest?: boolean },
): Promise<AuditLink[]> {
  const { where, values } = conditionsOf(filter);
  // Between two moments, the index by time locates the entries. PostgreSQL would rather walk back from the end of the
  // trail, because it expects them everywhere. Ordering by an expression that no index has prevents that.
  const order = filter.since && filter.until ? 'seq + 0' : 'seq';
  const { rows } = await pool.query<AuditLink>(
    `SELECT * FROM (
       SELECT seq, at, actor, file_id, batch_no, move, from_state, to_state, reason, evidence FROM audit
       WHERE ${where} ORDER BY ${order} ${isFromOldest ? 'ASC' : 'DESC'} LIMIT $1) page
     ORDER BY seq`,
    [limit, ...values],
  );
  return rows;
}

/** Counts the matching entries, up to one more than `most`. */
export async function countAudit({ pool }: LedgerReader, filter: AuditFilter, most: number): Promise<number> {
  const { where, values } = conditionsOf(filter);
  const { rows } = await pool.query<{ links: number }>(
    `SELECT count(*) AS links FROM (SELECT 1 FROM audit WHERE ${where} LIMIT $1) matching`,
    [most + 1, ...values],
  );
  return rows[0]!.links;
}

/** Builds the condition from the given fields alone, so that each filter finds its index. */
function conditionsOf({ since, until, actor, fileId, move, before, newerThan, upTo }: AuditFilter) {
  const asked: readonly (readonly [condition: string, value: unknown])[] = [
    ['at >= ?', since],
    ['at < ?', until],
    ['starts_with(actor, ?)', actor],
    // Tells PostgreSQL that the index `audit_by_person`, which has no other entries, suffices.
    [`starts_with(actor, 'operator:') AND ?::text IS NOT NULL`, actor?.startsWith('operator:') ? actor : undefined],
    ['file_id = ?', fileId],
    ['move = ?', move],
    ['seq < ?', before],
    ['seq > ?', newerThan],
    ['seq <= ?', upTo],
  ];
  const given = asked.filter(([, value]) => value !== undefined);
  const where = given.map(([condition], index) => condition.replace('?', `$${index + 2}`)).join(' AND ');
  return { where: where || 'true', values: given.map(([, value]) => value) };
}

/** Moves after which a file, batch or run waits for nothing more. */
const LAST_MOVES: readonly (FileMove | BatchMove | RunMove)[] = [
  'reject',
  'decline',
  'decline-rest',
  'cancel',
  'complete',
  'stop',
  'settle',
  'reconcile',
  'map',
  'recover',
  'withdraw',
  'finish-run',
];

/** Something that ended. Money is integer cents. */
export type FinishedStep = {
  seq: number;
  at: Date;
  /** Who did it, as in the audit trail. */
  actor: string;
  /** State in which it ended. */
  state: string;
  reason: string;
  fileId: string | null;
  batchNo: number | null;
  name: string | null;
  account: string | null;
  rows: number | null;
  cents: number | null;
  /** From the submission to the outcomes, in ms; only of a batch. */
  tookMs: number | null;
};

/** How far back the trail is searched: for so long, in ms, and over at most so many links. */
const FINISHED_MS = 14 * 86_400_000;
const FINISHED_LINKS = 500_000;

/** Returns what ended in the last 14 days, newest first. @param before only entries older than this one */
export async function listFinished(
  { pool, clock }: Ledger,
  { before, account, limit }: { before?: number | undefined; account?: string | undefined; limit: number },
): Promise<FinishedStep[]> {
  // The expressions keep PostgreSQL from the indexes of all moves and of times: the newest links are wanted.
  const { rows } = await pool.query<FinishedStep>(
    `SELECT a.seq, a.at, a.actor, a.to_state AS state, a.reason, a.file_id AS "fileId", a.batch_no AS "batchNo", f.name,
            f.account, coalesce(b.rows, f.valid_rows) AS rows, coalesce(b.cents, f.valid_cents) AS cents,
            (extract(epoch FROM b.final_at - b.submitted_at) * 1000)::bigint AS "tookMs"
     FROM (SELECT * FROM audit
           WHERE seq < coalesce($1::bigint, 9000000000000000000) AND seq > (SELECT coalesce(pg_sequence_last_value('audit_seq'), 0) - ${FINISHED_LINKS})
             AND move || '' = ANY ($2) AND to_state IS NOT NULL AND at + interval '0' >= $3
             AND ($4::text IS NULL OR (SELECT o.account FROM file o WHERE o.file_id = audit.file_id) = $4)
           ORDER BY seq DESC LIMIT $5) a
       LEFT JOIN LATERAL (SELECT * FROM file WHERE file.file_id = a.file_id OFFSET 0) f ON true
       LEFT JOIN LATERAL (SELECT * FROM batch x WHERE x.file_id = a.file_id AND x.batch_no = a.batch_no OFFSET 0) b ON true
     ORDER BY a.seq DESC`,
    [before ?? null, LAST_MOVES, new Date(clock.now().getTime() - FINISHED_MS), account ?? null, limit],
  );
  return rows;
}

/** What an approver decided about a held file or a proposal. */
export type DecidedMatter = {
  seq: number;
  at: Date;
  actor: string;
  move: (typeof DECISIONS)[number];
  reason: string;
  fileId: string | null;
  batchNo: number | null;
  /** Of the file; null for a profile and a selection. */
  name: string | null;
  /** What was proposed; null for a held file. */
  action: string | null;
};

const DECISIONS = ['approve', 'decline', 'decline-rest', 'confirm', 'refuse-proposal'] as const;

/** How far back decisions are listed, in ms. */
const DECIDED_MS = 30 * 86_400_000;

/** Returns the last 50 decisions of persons in 30 days, newest first. A confirmed approval is listed once. */
export async function listDecided({ pool, clock }: Ledger, account?: string): Promise<DecidedMatter[]> {
  // `seq + 0`: decisions are rare, so their index finds them; the end of the trail may be far from the last one.
  const { rows } = await pool.query<DecidedMatter>(
    `SELECT a.seq, a.at, a.actor, a.move, a.reason, a.file_id AS "fileId", a.batch_no AS "batchNo", f.name,
            a.evidence->>'action' AS action
     FROM audit a LEFT JOIN file f USING (file_id)
     WHERE a.move = ANY ($1) AND a.at >= $2 AND starts_with(a.actor, 'operator:') AND ($3::text IS NULL OR f.account = $3)
       AND NOT (a.move = 'confirm' AND a.evidence->>'action' = 'approve')
     ORDER BY a.seq + 0 DESC LIMIT 50`,
    [DECISIONS, new Date(clock.now().getTime() - DECIDED_MS), account ?? null],
  );
  return rows;
}

/** Returns the number of links and a hash over the ends of all chains, which changes with each link. */
export async function readAuditHead({ pool }: LedgerReader): Promise<{ links: number; hash: string }> {
  const { rows } = await pool.query<{ links: number; hash: string }>(
    `SELECT coalesce(sum(link_no), 0)::bigint AS links,
            encode(sha256(coalesce(string_agg(hash, '' ORDER BY chain COLLATE "C"), '')), 'hex') AS hash
     FROM audit_chain`,
  );
  return rows[0]!;
}

/**
 * Returns a number up to which the trail gets no more links; what is read afterwards has all of them. Each account has
 * a chain of its own, so a link may appear after one with a larger number. Readers that go on from the last number they
 * saw would miss it; they go up to this number only.
 */
export async function readSettledEnd({ pool }: LedgerReader): Promise<number> {
  const { rows } = await pool.query<{ seq: number }>('SELECT audit_settled() AS seq');
  return rows[0]!.seq;
}
