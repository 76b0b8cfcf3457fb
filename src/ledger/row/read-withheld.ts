import { IS_TAKEN } from '../batch/conditions.ts';
import type { PoolClient } from 'pg';
import type { Withheld } from '../../rows/rows.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { FileRow } from '../engine/records.ts';

/** Returns the rows of a file that were not sent because of their faults, with their money where readable. */
export function withheldOf(file: Pick<FileRow, 'invalid_rows' | 'withheld_cents' | 'withheld_unreadable'>): Withheld {
  return { rows: file.invalid_rows ?? 0, cents: file.withheld_cents, unreadable: file.withheld_unreadable };
}

/** Sums the withheld rows of an account's files that were accepted in a period. */
export async function sumWithheld(
  client: Pick<PoolClient, 'query'>,
  account: string,
  from: Date,
  until: Date,
): Promise<Withheld> {
  const { rows } = await client.query<Withheld>(
    `SELECT coalesce(sum(invalid_rows), 0)::bigint AS rows, coalesce(sum(withheld_cents), 0)::bigint AS cents,
            coalesce(sum(withheld_unreadable), 0)::bigint AS unreadable
     FROM file WHERE account = $1 AND accepted_at >= $2 AND accepted_at < $3 AND invalid_rows > 0`,
    [account, from, until],
  );
  return rows[0]!;
}

/** How far back such files are listed, in ms. */
const NAMED_MS = 7 * 86_400_000;

/** A file with withheld rows; newest first, at most 50, by default of 7 days. What became of the rows is unknown. */
export type WithheldFile = { fileId: string; name: string; account: string; claimedAt: Date } & Withheld;

export async function readWithheldFiles(
  { pool, clock }: Pick<Ledger, 'pool' | 'clock'>,
  since = new Date(clock.now().getTime() - NAMED_MS),
): Promise<WithheldFile[]> {
  const { rows } = await pool.query<WithheldFile>(
    `SELECT file_id AS "fileId", name, account, claimed_at AS "claimedAt", invalid_rows AS rows, withheld_cents AS cents,
            withheld_unreadable AS unreadable
     FROM file
     WHERE invalid_rows > 0 AND claimed_at >= $1 AND ${IS_TAKEN}
     ORDER BY file_no DESC LIMIT 50`,
    [since],
  );
  return rows;
}
