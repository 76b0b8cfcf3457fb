import { PipelineError } from '../../kernel/errors.ts';
import { maskText } from '../../kernel/mask.ts';
import { NAMES } from '../account/read-holds.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { PlainFileRow } from '../engine/records.ts';

/** What the ledger still knows of rows that have left it. */

/** Where the rows of a file are. */
export type RowArchive = {
  archiveNo: number;
  name: string;
  host: string;
  account: string;
  madeAt: Date;
  sha256: string;
};

/** SQL of its columns. */
export const ARCHIVE = `a.archive_no AS "archiveNo", a.name, a.host, a.account, a.made_at AS "madeAt", a.sha256`;

/** Returns the archive of a file, undefined while its rows are in the ledger. */
export async function readArchiveOf(
  { pool }: Ledger,
  { archive_no: no }: Pick<PlainFileRow, 'archive_no'>,
): Promise<RowArchive | undefined> {
  if (no === null) return undefined;
  const { rows } = await pool.query<RowArchive>(`SELECT ${ARCHIVE} FROM row_archive a WHERE archive_no = $1`, [no]);
  return rows[0];
}

export type ArchivedFile = Pick<PlainFileRow, 'file_id' | 'name' | 'account' | 'claimed_at'>;

/**
 * Returns archived files that hold this whole invoice, in any case, newest first. It goes by a hash of the invoice; one
 * file in a million million may be named for another invoice.
 */
export async function findArchivedInvoice({ pool }: Ledger, invoice: string, limit = 20): Promise<ArchivedFile[]> {
  const { rows } = await pool.query<ArchivedFile>(
    `SELECT f.file_id, f.name, f.account, f.claimed_at FROM (SELECT invoice_hash($1) AS hash) asked
       JOIN archived_invoice i ON i.bucket = (hash >> 56) & 255
       CROSS JOIN LATERAL unnest(i.entries) AS e (entry)
       CROSS JOIN LATERAL (SELECT * FROM file WHERE file.archive_no = i.archive_no
                           ORDER BY file_no OFFSET entry & 4095 LIMIT 1) f
     WHERE entry & -4096 = hash & -4096 ORDER BY f.file_no DESC LIMIT $2`,
    [invoice, limit],
  );
  return rows;
}

/** Returns which of these invoices archived files of the merchant of an account hold. It goes by hashes too. */
export async function findArchivedInvoices(
  { pool }: Ledger,
  account: string,
  invoices: readonly string[],
): Promise<Set<string>> {
  const { rows } = await pool.query<{ invoice: string }>(
    `SELECT invoice FROM unnest($2::text[]) AS asked (invoice) CROSS JOIN LATERAL (SELECT invoice_hash(invoice) AS hash) h
     WHERE EXISTS (SELECT FROM archived_invoice i JOIN row_archive a USING (archive_no)
                   CROSS JOIN LATERAL unnest(i.entries) AS e (entry)
                   WHERE i.bucket = (hash >> 56) & 255 AND a.account IN ${NAMES} AND entry & -4096 = hash & -4096)`,
    [account, invoices],
  );
  return new Set(rows.map(({ invoice }) => invoice));
}

/** Says where archived rows are. */
export function sayArchive({ name, host, madeAt }: RowArchive): string {
  return `Its rows were archived on ${madeAt.toISOString().slice(0, 10)}: ${name} in the archive folder of host ${host}.`;
}

/** Says of a file that a search named where its rows are. */
export function sayArchivedFile(invoice: string, { file_id: fileId, name }: ArchivedFile): string {
  return `The archived file ${name} holds invoice ${maskText(invoice)}: "paydrop why ${fileId}" says where.`;
}

/**
 * Refuses what needs the rows of a file that is archived.
 * @throws PipelineError MOVE_REFUSED
 */
export function mustHaveRows(file: Pick<PlainFileRow, 'file_id' | 'archive_no'>, action: string): void {
  if (file.archive_no === null) return;
  const next = `"paydrop why ${file.file_id}" says where they are.`;
  throw new PipelineError('MOVE_REFUSED', action, 'its rows are archived', { next });
}
