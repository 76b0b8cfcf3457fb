import type { OutputKind } from '../../../schemas/lifecycle.ts';
import type { Ledger } from '../../ledger/engine/open-ledger.ts';

export type PushableOutput = {
  fileId: string;
  account: string;
  kind: OutputKind;
  number: number;
  name: string;
  bytes: number;
};

/** Records since when outputs go to a target. Outputs written before it was configured are not sent. */
export async function beginPushing(ledger: Ledger, target: string): Promise<void> {
  await ledger.pool.query('INSERT INTO push_target (target, since) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
    target,
    ledger.clock.now(),
  ]);
}

/** Returns the name of a place of upload in the ledger. */
export function pushTargetName({ remote, path }: { remote: string; path: string }): string {
  return `${remote}:${path}`;
}

/** Returns the outputs of a site that must still go to a target, oldest first. */
export async function findUnpushed(
  ledger: Ledger,
  { target, site, accounts }: { target: string; site: string; accounts?: readonly string[] | undefined },
): Promise<PushableOutput[]> {
  const { rows } = await ledger.pool.query<PushableOutput>(
    `SELECT o.file_id AS "fileId", f.account, o.kind, o.number, o.name, o.bytes
     FROM push_target t JOIN output o ON o.written_at >= t.since JOIN file f USING (file_id)
     WHERE t.target = $1 AND f.site = $2 AND ($3::text[] IS NULL OR f.account = ANY ($3))
       AND NOT EXISTS (SELECT 1 FROM pushed p WHERE p.target = t.target AND p.file_id = o.file_id
                       AND p.kind = o.kind AND p.number = o.number)
     ORDER BY o.written_at, o.file_id, o.kind, o.number LIMIT 1000`,
    [target, site, accounts ?? null],
  );
  return rows;
}

export async function notePushed(ledger: Ledger, target: string, output: PushableOutput): Promise<void> {
  await ledger.pool.query(
    `INSERT INTO pushed (target, file_id, kind, number, pushed_at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
    [target, output.fileId, output.kind, output.number, ledger.clock.now()],
  );
}
