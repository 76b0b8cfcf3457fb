import type { PoolClient } from 'pg';

type Sessions = { pool: Pick<PoolClient, 'query'> };

type Closed = {
  isReadOnly: boolean;
  role: string;
  /** Tables and sequences that it cannot read or change. */
  lacking: string[];
};

/**
 * Returns what keeps this process from using its ledger, with the remedy. It queries the server, because a failure to
 * write cannot be recorded either. Audit links are only added, so no right to change them is required.
 */
export async function findClosed({ pool }: Sessions): Promise<{ action: string; reason: string; next: string }[]> {
  const { isReadOnly, role, lacking } = await readClosed(pool);
  const on = (things: string) => `GRANT ALL ON ALL ${things} IN SCHEMA paydrop TO "${role}";`;
  const readOnly = {
    action: 'change the ledger',
    reason: 'its database is read-only, or a standby',
    next: 'Set DATABASE_URL to the primary, or make it writable again; work then continues automatically.',
  };
  const withoutRights = {
    action: 'use the whole ledger',
    reason: `its role lacks permissions on ${lacking.join(', ')}`,
    next: `Have its owner run: ${on('TABLES')} ${on('SEQUENCES')} Work then continues automatically.`,
  };
  return [...(isReadOnly ? [readOnly] : []), ...(lacking.length > 0 ? [withoutRights] : [])];
}

async function readClosed(pool: Sessions['pool']): Promise<Closed> {
  const { rows } = await pool.query<Closed>(
    `SELECT current_user::text AS role, current_setting('transaction_read_only') = 'on' AS "isReadOnly",
            array(SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                  WHERE n.nspname = 'paydrop' AND CASE c.relkind
                    WHEN 'S' THEN NOT has_sequence_privilege(c.oid, 'USAGE')
                    WHEN 'r' THEN NOT (has_table_privilege(c.oid, 'SELECT') AND has_table_privilege(c.oid, 'INSERT')
                      AND (c.relname = 'audit'
                        OR (has_table_privilege(c.oid, 'UPDATE') AND has_table_privilege(c.oid, 'DELETE'))))
                    ELSE false END
                  ORDER BY 1) AS lacking`,
  );
  return rows[0]!;
}
