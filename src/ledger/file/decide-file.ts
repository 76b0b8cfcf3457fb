import type { FaultCode } from '../../../schemas/errors.ts';
import type { LayoutName } from '../../../schemas/layouts.ts';
import type { LeftOut, PlainFileRow } from '../engine/records.ts';
import type { Transaction } from '../engine/transaction.ts';
import { queryInOne } from '../engine/query-together.ts';
import { forgetReadings } from './count-readings.ts';
import { moveFile, mustMove } from '../engine/move.ts';

/** What intake found out about a file, written together with its verdict. */
export type FileFindings = {
  layout: LayoutName | null;
  headerLine: number | null;
  physicalLines: number;
  blankLines: number;
  records: number;
  validRows: number;
  validCents: number;
  invalidRows: number;
  /** Mark of the valid rows, see crypto/fingerprints/row-set.ts; null when there are none. */
  rowSet?: string | null;
  /** Of a file read with an import profile: its lines by kind, and the rows left out. */
  profile?: { lines: Readonly<Record<string, number>>; skipped: readonly LeftOut[] } | undefined;
  /** For an encrypted drop: what was inside, and who signed it. */
  message?: { sha256: string; bytes: number; signedBy: string | null };
};

type StoredWith = {
  /** For an encrypted drop: its session key, sealed. */
  contentKey?: Buffer | null;
  /** Since when the file counts as known, for the search for earlier payments. */
  agedFrom?: Date;
  /** Its rows repeat payments of files that came from then on; without it, whenever they came. */
  comparedFrom?: Date;
  /** The newest forgotten call that it was compared with. */
  comparedTo?: number;
};

export type FileDecision =
  | { verdict: 'accept' }
  | { verdict: 'hold' | 'reject'; code: FaultCode; reason: string; duplicateOf?: string };

/** A file held without being read has no rows to send, so it cannot be approved. */
export const WAS_READ = { where: { sql: 'layout IS NOT NULL', values: [] } };

/**
 * Makes the move `accept`, `hold` or `reject`, in the transaction that wrote the rows. A rejected file keeps its rows,
 * so that a search for an invoice finds them, but no batch. This also ends the count of its readings.
 */
export async function decideFile(
  tx: Transaction,
  fileId: string,
  findings: FileFindings,
  decision: FileDecision,
  { contentKey = null, agedFrom, comparedFrom, comparedTo = 0 }: StoredWith = {},
): Promise<PlainFileRow> {
  const { verdict } = decision;
  const why = decision.verdict === 'accept' ? undefined : decision;
  const reason = why?.reason ?? 'every check passed';
  // The audit trail is kept forever, and the mark of the rows must not be.
  const { rowSet, ...told } = findings;
  const because = { actor: 'worker:intake', reason, evidence: { ...told, code: why?.code } };
  const set = {
    reason_code: why?.code ?? null,
    reason: why?.reason ?? null,
    duplicate_of: why?.duplicateOf ?? null,
    layout: findings.layout,
    header_line: findings.headerLine,
    physical_lines: findings.physicalLines,
    blank_lines: findings.blankLines,
    records: findings.records,
    valid_rows: findings.validRows,
    valid_cents: findings.validCents,
    invalid_rows: findings.invalidRows,
    content_sha256: findings.message?.sha256 ?? null,
    ...(findings.profile && { profile_lines: JSON.stringify(findings.profile) }),
    ...(agedFrom && { aged_from: agedFrom }),
    ...(comparedFrom && { compared_from: comparedFrom }),
    ...(comparedTo > 0 && { compared_to: comparedTo }),
  };
  const [, , , , row] = await queryInOne(tx, (asked) => [
    verdict === 'reject' && asked.client.query(DELETE_BATCHES, [fileId]),
    forgetReadings(asked.client, fileId),
    findings.invalidRows > 0 && asked.client.query(ADD_UP_WITHHELD, [fileId]),
    keepSecrets(asked, fileId, rowSet ?? null, contentKey),
    moveFile(asked, verdict, fileId, because, { set }),
  ]);
  const moved = mustMove(row, `${verdict} file "${fileId}"`);
  const { account, operation } = moved;
  tx.count('paydrop_rows_total', { account, operation, outcome: 'invalid' }, findings.invalidRows);
  return moved;
}

/** Of a file that is decided already none go: the move that follows says so. */
const DELETE_BATCHES = `
  DELETE FROM batch b USING file f WHERE b.file_id = $1 AND f.file_id = b.file_id AND f.state = 'claimed'`;

const ADD_UP_WITHHELD = `
  UPDATE file SET (withheld_cents, withheld_unreadable) = (
    SELECT coalesce(sum(amount_cents), 0), count(*) FILTER (WHERE amount_cents IS NULL)
    FROM payment_row r WHERE r.file_no = file.file_no AND r.batch_no IS NULL)
  WHERE file_id = $1`;

async function keepSecrets(
  { client }: Pick<Transaction, 'client'>,
  fileId: string,
  rowSet: string | null,
  contentKey: Buffer | null,
): Promise<void> {
  if (rowSet === null && contentKey === null) return;
  await client.query('UPDATE file_secret SET row_set = $2, content_key = $3 WHERE file_id = $1', [
    fileId,
    rowSet,
    contentKey,
  ]);
}
