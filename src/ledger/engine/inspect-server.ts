import type { Ledger } from './open-ledger.ts';

/** What the ledger's server reports about itself in one of our sessions. */
export type ServerState = {
  /** Such as 180001 for 18.1. */
  versionNumber: number;
  version: string;
  fsync: string;
  fullPageWrites: string;
  synchronousCommit: string;
  isStandby: boolean;
  /** By the server's own clock. */
  now: Date;
};

export async function inspectServer(ledger: Ledger): Promise<ServerState> {
  const { rows } = await ledger.pool.query<ServerState>(
    `SELECT current_setting('server_version_num')::int AS "versionNumber", current_setting('server_version') AS version,
            current_setting('fsync') AS fsync, current_setting('full_page_writes') AS "fullPageWrites",
            current_setting('synchronous_commit') AS "synchronousCommit",
            pg_is_in_recovery() AS "isStandby", clock_timestamp() AS now`,
  );
  return rows[0]!;
}
