import { PipelineError } from '../../kernel/errors.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { ControlNote } from '../../rows/rows.ts';
import type { PlainFileRow } from '../engine/records.ts';
import type { AuditReason } from '../engine/move.ts';
import { type Transaction, transact } from '../engine/transaction.ts';
import { mustNotBeMaker } from './note-upload.ts';

/** What came of a file after it was taken. */
export type LateArrival = {
  fileId: string;
  kind: 'bytes' | 'control';
  bytes: number;
  sha256: string;
  /** Path of the sealed bytes, relative to the archive; null where nothing is kept. */
  archive: string | null;
  /** How it differs from what was taken; null when it agrees. */
  says: string | null;
};

/**
 * Records what came late. If it differs, no batch of the file leaves from now on until a person has decided. Repeating
 * it changes nothing, so a start after a crash may do so.
 * @returns whether it was new to the ledger
 */
export async function noteLate(ledger: Ledger, late: LateArrival): Promise<boolean> {
  return transact(ledger, async (tx) => {
    const { fileId, kind, bytes, sha256, archive, says } = late;
    const { rowCount } = await tx.client.query(
      `INSERT INTO late_arrival (file_id, kind, bytes, sha256, archive, says, found_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (file_id, kind, sha256) DO NOTHING`,
      [fileId, kind, bytes, sha256, archive, says, tx.at],
    );
    if (rowCount === 0) return false;
    tx.audit({
      actor: 'worker:watch',
      fileId,
      move: `late-${kind}`,
      reason: says ?? 'a control file came after the file was taken, and agrees with it',
      evidence: { bytes, sha256 },
    });
    return true;
  });
}

/** The newest file of a name in a folder, as far as a late companion is compared with it. */
export type Namesake = Pick<PlainFileRow, 'file_id' | 'name' | 'state' | 'control' | 'claimed_at'>;

/**
 * Finds for each name the file that was taken last from a folder under that name.
 * @param names masked, as the ledger keeps them
 */
export async function findNamesakes(
  { pool }: Pick<Ledger, 'pool'>,
  folder: string,
  names: readonly string[],
): Promise<Namesake[]> {
  const { rows } = await pool.query<Namesake>(
    `SELECT found.* FROM unnest($2::text[]) asked (name) CROSS JOIN LATERAL (
       SELECT file_id, name, state, control, claimed_at FROM file f
       WHERE f.name = asked.name AND f.folder = $1 ORDER BY f.file_no DESC LIMIT 1) found`,
    [folder, names],
  );
  return rows;
}

/**
 * Gives a control file that came late to a file that is not decided yet; intake compares them.
 * @returns whether the file was still undecided
 */
export async function addControl(ledger: Ledger, fileId: string, control: ControlNote): Promise<boolean> {
  return transact(ledger, async (tx) => {
    const { rowCount } = await tx.client.query(
      `UPDATE file SET control = $2 WHERE file_id = $1 AND state = 'claimed' AND control IS NULL`,
      [fileId, JSON.stringify(control)],
    );
    if (!rowCount) return false;
    tx.audit({ actor: 'worker:watch', fileId, move: 'late-control', reason: 'it came before the rows were checked' });
    return true;
  });
}

/** Something that came late and waits for a person. */
export type OpenLate = {
  readonly fileId: string;
  readonly name: string;
  readonly account: string;
  readonly rows: number;
  readonly cents: number;
  readonly says: string;
  readonly since: Date;
};

/** At most so many are listed. */
const MOST = 200;

/**
 * Reads what waits for a person, the oldest first, one line per file.
 * @param fileIds only these files
 */
export async function readOpenLate({ pool }: Pick<Ledger, 'pool'>, fileIds?: readonly string[]): Promise<OpenLate[]> {
  const { rows } = await pool.query<OpenLate>(
    `SELECT f.file_id AS "fileId", f.name, f.account, coalesce(f.valid_rows, 0) AS rows,
            coalesce(f.valid_cents, 0) AS cents, l.says, l.since
     FROM (SELECT file_id, string_agg(says, '; ' ORDER BY late_no) AS says, min(found_at) AS since FROM late_arrival
           WHERE ${IS_OPEN_LATE} AND ($1::text[] IS NULL OR file_id = ANY ($1)) GROUP BY file_id) l
     JOIN file f USING (file_id) ORDER BY l.since, f.file_no LIMIT ${MOST}`,
    [fileIds ?? null],
  );
  return rows;
}

/** SQL: a late arrival waits for a person. The function has_come_late of gate.sql asks the same. */
export const IS_OPEN_LATE = 'says IS NOT NULL AND acknowledged_at IS NULL';

/**
 * Records that a person has decided about all that came late of a file. Its batches may leave again.
 * @throws PipelineError MOVE_REFUSED when nothing waits, SECOND_PERSON for the user who dropped the file
 */
export async function acknowledgeLate(ledger: Ledger, fileId: string, because: AuditReason): Promise<void> {
  await transact(ledger, async (tx) => {
    const action = `acknowledge what came late of file "${fileId}"`;
    if (!(await endLate(tx, fileId, because))) throw new PipelineError('MOVE_REFUSED', action, 'nothing came late');
    // It lets payments go, as an approval does.
    await mustNotBeMaker(tx, fileId, because.actor);
  });
}

/**
 * Does the same in the transaction of another decision of a person about the file.
 * @returns whether something waited
 */
export async function endLate(tx: Transaction, fileId: string, because: AuditReason): Promise<boolean> {
  const { rowCount } = await tx.client.query(
    `UPDATE late_arrival SET acknowledged_at = $2 WHERE file_id = $1 AND ${IS_OPEN_LATE}`,
    [fileId, tx.at],
  );
  if (!rowCount) return false;
  tx.audit({ ...because, fileId, move: 'acknowledge-late' });
  return true;
}
