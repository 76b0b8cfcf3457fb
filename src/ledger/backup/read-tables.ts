import type { PoolClient } from 'pg';
import type { BackupTable } from './backup-frame.ts';

/**
 * Returns every table of the ledger with its columns. A table follows those it references, so that tables filled in
 * this order pass the reference checks.
 */
export async function readTables(client: PoolClient): Promise<BackupTable[]> {
  const { rows } = await client.query<BackupTable & { refers: string[] }>(
    `SELECT c.relname::text AS table,
            ARRAY(SELECT a.attname::text FROM pg_attribute a
                  WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
                  ORDER BY a.attnum) AS columns,
            ARRAY(SELECT DISTINCT r.relname::text FROM pg_constraint k JOIN pg_class r ON r.oid = k.confrelid
                  WHERE k.conrelid = c.oid AND k.contype = 'f' AND k.confrelid <> c.oid) AS refers
     FROM pg_class c WHERE c.relnamespace = 'paydrop'::regnamespace AND c.relkind IN ('r', 'p') ORDER BY c.relname`,
  );
  const ordered: BackupTable[] = [];
  const isPlaced = (name: string) => ordered.some(({ table }) => table === name);
  while (ordered.length < rows.length) {
    const next = rows.filter(({ table, refers }) => !isPlaced(table) && refers.every(isPlaced));
    // A cycle of references would loop forever.
    if (next.length === 0) throw new Error('tables of the ledger refer to each other in a circle');
    ordered.push(...next.map(({ table, columns }) => ({ table, columns })));
  }
  return ordered;
}
