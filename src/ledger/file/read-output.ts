import type { Ledger } from '../engine/open-ledger.ts';
import type { OutputRow } from '../engine/records.ts';

/** Returns one output of a file, as recorded when it was read back; undefined when there is none. */
export async function readOutput(
  ledger: Ledger,
  fileId: string,
  { kind, number = 0 }: { kind: string; number?: number },
): Promise<OutputRow | undefined> {
  const { rows } = await ledger.pool.query<OutputRow>(
    'SELECT * FROM output WHERE file_id = $1 AND kind = $2 AND number = $3',
    [fileId, kind, number],
  );
  return rows[0];
}
