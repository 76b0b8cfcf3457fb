import { IS_OPEN, IS_SENDABLE } from '../batch/conditions.ts';
import type { BatchState } from '../../../schemas/lifecycle.ts';
import { IS_LEDGER_OPEN } from '../admission/close-ledger.ts';
import type { StopKind } from './pause-account.ts';
import type { Ledger } from '../engine/open-ledger.ts';

/** A stop that an operator has to lift. `account` is `*` when the stop covers all accounts. */
export type Stop = { account: string; kind: StopKind; reason: string; actor: string; since: Date };

/** A batch that keeps its account from sending. Money is integer cents. */
export type HoldingBatch = {
  fileId: string;
  name: string;
  batchNo: number;
  state: Extract<BatchState, 'sending' | 'unknown' | 'refused'>;
  rows: number;
  cents: number;
  since: Date;
  reason: string | null;
};

/** What keeps an account from sending now; when both lists are empty, it may send. */
export type Holds = { stops: Stop[]; batches: HoldingBatch[] };

/**
 * SQL list: the account `$1` and every other name of its merchant. Stops and batches of any of them keep it from sending
 * (may_leave in schemas/ledger/gate.sql).
 */
export const NAMES =
  '(SELECT $1::text UNION SELECT a.account FROM account a WHERE a.merchant_no = (SELECT merchant_of($1)))';

/**
 * SQL condition on `forgotten_send`: the call was made to the merchant of the account `$1`, by whichever name. A call of a
 * merchant that no account means is found by the name that its journal has, or nobody would see it.
 */
export const IS_FORGOTTEN_OF = `(merchant_no = (SELECT merchant_of($1)) OR account = $1
  AND NOT EXISTS (SELECT FROM account a WHERE a.merchant_no = forgotten_send.merchant_no))`;

export async function readHolds(ledger: Ledger, account: string): Promise<Holds> {
  const [stops, batches] = await Promise.all([
    ledger.pool.query<Stop>(
      `SELECT account, kind, reason, actor, since FROM account_stop WHERE account = '*' OR account IN ${NAMES} ORDER BY account, kind`,
      [account],
    ),
    ledger.pool.query<HoldingBatch>(
      `SELECT b.file_id AS "fileId", f.name, b.batch_no AS "batchNo", b.state, b.rows, b.cents, b.state_at AS since, b.reason
       FROM batch b JOIN file f USING (file_id)
       WHERE b.account IN ${NAMES} AND b.${IS_OPEN}
         AND b.state IN ('sending', 'unknown', 'refused')
       ORDER BY b.state_at, f.file_no, b.batch_no`,
      [account],
    ),
  ]);
  return { stops: stops.rows, batches: batches.rows };
}

/** What holds an account, with counts of its ready batches, batches in progress and unacknowledged calls. */
export type AccountState = Holds & {
  account: string;
  ready: number;
  onTheirWay: number;
  forgotten: number;
  /** While the ledger is closed, no account sends. */
  isLedgerOpen: boolean;
};

/** @param accounts configured accounts; other accounts with something open in the ledger follow them */
export async function readAccountStates(ledger: Ledger, accounts: readonly string[]): Promise<AccountState[]> {
  const { rows } = await ledger.pool.query<Omit<AccountState, keyof Holds>>(
    `SELECT account, sum(ready)::int AS ready, sum(moving)::int AS "onTheirWay", sum(forgotten)::int AS forgotten,
            (${IS_LEDGER_OPEN}) AS "isLedgerOpen"
     FROM (SELECT unnest($1::text[]) AS account, 0 AS ready, 0 AS moving, 0 AS forgotten
           UNION ALL
           SELECT b.account, (b.state = 'ready')::int, (b.state IN ('sending', 'submitted', 'result_in'))::int, 0
           FROM batch b JOIN file f USING (file_id)
           WHERE b.${IS_OPEN} AND f.${IS_SENDABLE}
           UNION ALL SELECT coalesce(a.account, g.account), 0, 0, (g.acknowledged_at IS NULL)::int
           FROM forgotten_send g LEFT JOIN account a USING (merchant_no)
           UNION ALL SELECT account, 0, 0, 0 FROM account_stop WHERE account <> '*') parts
     GROUP BY account ORDER BY array_position($1::text[], account) NULLS LAST, account`,
    [accounts],
  );
  return Promise.all(rows.map(async (row) => ({ ...row, ...(await readHolds(ledger, row.account)) })));
}

/** A call in the send journal that no batch of the ledger accounts for. */
export type ForgottenSend = {
  fileId: string;
  batchNo: number;
  attempt: number;
  sha256: string;
  at: Date;
  since: Date;
  batchState: BatchState | null;
  acknowledgedAt: Date | null;
  acknowledgedBy: string | null;
  /** Batch id from the service, when nothing else is known. */
  batchId: string | null;
};

/** Returns the forgotten calls of the merchant of an account. */
export async function readForgottenSends(ledger: Ledger, account: string): Promise<ForgottenSend[]> {
  const { rows } = await ledger.pool.query<ForgottenSend>(
    `SELECT file_id AS "fileId", batch_no AS "batchNo", attempt, sha256, at, since, batch_state AS "batchState",
            acknowledged_at AS "acknowledgedAt", acknowledged_by AS "acknowledgedBy", batch_id AS "batchId"
     FROM forgotten_send WHERE ${IS_FORGOTTEN_OF} ORDER BY at, file_id, batch_no, attempt`,
    [account],
  );
  return rows;
}

/** Returns the files of these calls, of any account, and whether a person has acknowledged all calls of each. */
export async function readForgottenFiles(ledger: Ledger): Promise<Map<string, boolean>> {
  const { rows } = await ledger.pool.query<{ fileId: string; isAcknowledged: boolean }>(
    `SELECT file_id AS "fileId", bool_and(acknowledged_at IS NOT NULL) AS "isAcknowledged" FROM forgotten_send GROUP BY file_id`,
  );
  return new Map(rows.map(({ fileId, isAcknowledged }) => [fileId, isAcknowledged]));
}

/** Returns every stop that an operator has to lift, for any account; `*` means all of them. */
export async function readStops(ledger: Ledger): Promise<Stop[]> {
  const { rows } = await ledger.pool.query<Stop>(
    'SELECT account, kind, reason, actor, since FROM account_stop ORDER BY account, kind',
  );
  return rows;
}

/** Returns the batches in doubt or refused of all accounts, each of which keeps its account from sending. */
export async function readBlockingBatches(ledger: Ledger): Promise<(HoldingBatch & { account: string })[]> {
  const { rows } = await ledger.pool.query<HoldingBatch & { account: string }>(
    `SELECT b.account, b.file_id AS "fileId", f.name, b.batch_no AS "batchNo", b.state, b.rows, b.cents,
            b.state_at AS since, b.reason
     FROM batch b JOIN file f USING (file_id) WHERE b.state IN ('unknown', 'refused')
     ORDER BY array_position(ARRAY['unknown', 'refused'], b.state), b.state_at, f.file_no, b.batch_no`,
  );
  return rows;
}
