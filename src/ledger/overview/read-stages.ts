import type { BatchMove, FileMove } from '../../../schemas/lifecycle.ts';
import { IS_OPEN, IS_SENDABLE } from '../batch/conditions.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import { readSettledEnd } from './list-audit.ts';

/** Stages of the way through paydrop, in their order. A batch in doubt, refused or with a wrong result is in none. */
export const STAGES = ['checking', 'approval', 'to_send', 'at_service', 'reconciling', 'delivering'] as const;
export type StageName = (typeof STAGES)[number];

/** What of an account is in a stage: files or batches, with their rows and money. Money is integer cents. */
export type Depth = {
  stage: StageName;
  account: string;
  things: number;
  rows: number;
  cents: number;
  oldestAt: Date;
};

/**
 * Reads what is in each stage. Batches of held files count as waiting for approval, not as to be sent. Each part uses an
 * index of open work, so finished files cost nothing.
 */
export async function readStages({ pool }: Ledger): Promise<Depth[]> {
  const { rows } = await pool.query<Depth>(
    `SELECT stage, account, sum(things)::int AS things, sum(rows)::bigint AS rows, sum(cents)::bigint AS cents,
            min(since) AS "oldestAt"
     FROM (
       SELECT CASE f.state WHEN 'claimed' THEN 'checking' ELSE 'approval' END AS stage, f.account, 1 AS things,
              coalesce(f.valid_rows, 0) AS rows, coalesce(f.valid_cents, 0) AS cents, f.state_at AS since
       FROM file f WHERE f.state IN ('claimed', 'held')
       UNION ALL
       SELECT 'approval', coalesce(f.account, ''), 1, 0, 0, p.made_at
       FROM proposal p LEFT JOIN file f USING (file_id) WHERE p.verdict IS NULL AND f.state IS DISTINCT FROM 'held'
       UNION ALL
       SELECT CASE b.state WHEN 'submitted' THEN 'at_service' WHEN 'result_in' THEN 'reconciling' ELSE 'to_send' END,
              b.account, 1, b.rows, b.cents, b.state_at
       FROM batch b LEFT JOIN (SELECT file_id FROM file WHERE state = 'held' OFFSET 0) held USING (file_id)
       WHERE b.${IS_OPEN} AND b.state IN ('ready', 'sending', 'submitted', 'result_in')
         AND held.file_id IS NULL
       UNION ALL
       SELECT 'delivering', f.account, 1, coalesce(f.valid_rows, 0), coalesce(f.valid_cents, 0),
              coalesce((SELECT max(final_at) FROM batch b WHERE b.file_id = f.file_id), f.state_at)
       FROM file f
       WHERE f.${IS_SENDABLE} AND NOT EXISTS (SELECT 1 FROM batch b WHERE b.file_id = f.file_id AND b.${IS_OPEN})
     ) parts
     GROUP BY stage, account ORDER BY account, stage`,
  );
  return rows;
}

/** A batch that waits to be sent. Money is integer cents. */
export type ReadyBatch = {
  fileId: string;
  name: string;
  batchNo: number;
  account: string;
  rows: number;
  cents: number;
  since: Date;
};

/** Returns batches of these accounts that wait to be sent, in the order of their files; at most `limit` an account. */
export async function listReady({ pool }: Ledger, accounts: readonly string[], limit: number): Promise<ReadyBatch[]> {
  const { rows } = await pool.query<ReadyBatch>(
    `SELECT ready.* FROM unnest($1::text[]) AS asked (account)
       CROSS JOIN LATERAL (
         SELECT f.file_id AS "fileId", f.name, b.batch_no AS "batchNo", f.account, b.rows, b.cents, b.state_at AS since
         FROM (SELECT * FROM file WHERE account = asked.account AND ${IS_SENDABLE} ORDER BY file_no OFFSET 0) f
           CROSS JOIN LATERAL (
             SELECT * FROM batch WHERE batch.file_id = f.file_id AND state = 'ready'
             ORDER BY first_line, batch_no LIMIT $2) b
         ORDER BY f.file_no, b.first_line, b.batch_no LIMIT $2) ready`,
    [accounts, limit],
  );
  return rows;
}

/** Moves by which a file or batch leaves each stage. */
const LEAVES: Readonly<Record<StageName, readonly (FileMove | BatchMove)[]>> = {
  checking: ['accept', 'hold', 'reject'],
  approval: ['approve', 'decline', 'decline-rest'],
  to_send: ['submit'],
  at_service: ['receive'],
  reconciling: ['reconcile'],
  delivering: ['complete'],
};

const STAGE_OF = new Map(STAGES.flatMap((stage) => LEAVES[stage].map((move) => [move as string, stage] as const)));

/** What left a stage: per minute over the last five minutes, and how much in each of the last 24 hours, oldest first. */
export type Flow = { readonly perMinute: number; readonly hours: readonly number[] };

/** Reads the flow through every stage, of all accounts together. */
export type FlowReader = () => Promise<Readonly<Record<StageName, Flow>>>;

const MINUTE_MS = 60_000;
const HOURS = 24;
/** Minutes over which the rate is taken. */
const RECENT = 5;
/** Links of the audit trail that the first read goes through at most. A busier day has a shorter history at first. */
const MOST_LINKS = 200_000;

/**
 * Counts the moves of the last day in memory. After the first read only new links of the audit trail are read, so the
 * moves need no counters that their transactions would wait for.
 */
export function openStageFlow(ledger: Ledger): FlowReader {
  const left = new Map<StageName, Map<number, number>>(STAGES.map((stage) => [stage, new Map()]));
  let last: number | undefined;
  let reading: Promise<void> | undefined;

  async function catchUp(): Promise<void> {
    const from = new Date(ledger.clock.now().getTime() - HOURS * 60 * MINUTE_MS);
    // The expression keeps PostgreSQL from the index of all moves there ever were.
    const end = await readSettledEnd(ledger);
    const { rows } = await ledger.pool.query<{ move: string; minute: number; count: number }>(
      `SELECT move, floor(extract(epoch FROM at) / 60)::int AS minute, count(at)::int AS count
       FROM (SELECT move, at FROM audit WHERE seq > $1 AND seq <= $4 AND at >= $2 AND move || '' = ANY ($3) OFFSET 0) moved
       GROUP BY 1, 2`,
      [last ?? end - MOST_LINKS, from, [...STAGE_OF.keys()], end],
    );
    for (const { move, minute, count } of rows) add(STAGE_OF.get(move)!, minute, count);
    // The end may be a little smaller than the last time.
    last = Math.max(last ?? end, end);
    for (const minutes of left.values())
      for (const minute of minutes.keys()) if (minute * MINUTE_MS < from.getTime() - MINUTE_MS) minutes.delete(minute);
  }

  function add(stage: StageName, minute: number, count: number): void {
    const minutes = left.get(stage)!;
    minutes.set(minute, (minutes.get(minute) ?? 0) + count);
  }

  return async () => {
    // Two at once would count the same links twice.
    await (reading ??= catchUp().finally(() => (reading = undefined)));
    const now = Math.floor(ledger.clock.now().getTime() / MINUTE_MS);
    return Object.fromEntries(STAGES.map((stage) => [stage, flowOf(left.get(stage)!, now)])) as Record<StageName, Flow>;
  };
}

/** @param now the current minute, which is not over yet: the rate is of the five before it and what there is of it */
function flowOf(minutes: ReadonlyMap<number, number>, now: number): Flow {
  const hours = Array.from({ length: HOURS }, () => 0);
  let recent = 0;
  for (const [minute, count] of minutes) {
    const ago = now - minute;
    if (ago >= 0 && ago < RECENT) recent += count;
    const hour = HOURS - 1 - Math.floor(ago / 60);
    if (ago >= 0 && hour >= 0) hours[hour]! += count;
  }
  return { perMinute: recent / RECENT, hours };
}
