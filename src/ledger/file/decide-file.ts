import type { FaultCode } from '../../../schemas/errors.ts';
import { FILE_MOVES } from '../../../schemas/lifecycle.ts';
import type { LayoutName } from '../../../schemas/layouts.ts';
import type { EffectRules } from '../../rows/rows.ts';
import type { LeftOut, PlainFileRow } from '../engine/records.ts';
import type { Transaction } from '../engine/transaction.ts';
import { mustMove, noteFileMove } from '../engine/move.ts';
import { storableJson } from '../engine/storable-text.ts';

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

export type FileDecision =
  | { verdict: 'accept' }
  | { verdict: 'hold' | 'reject'; code: FaultCode; reason: string; duplicateOf?: string };

/** A file held without being read has no rows to send, so it cannot be approved. */
export const WAS_READ = { where: { sql: 'layout IS NOT NULL', values: [] } };

/** Findings of a file that was not read. */
export const NOTHING_READ: FileFindings = {
  layout: null,
  headerLine: null,
  physicalLines: 0,
  blankLines: 0,
  records: 0,
  validRows: 0,
  validCents: 0,
  invalidRows: 0,
};

/** A file that was read, or refused unread, and what it came to. */
export type DecidedFile = {
  fileId: string;
  findings: FileFindings;
  decision: FileDecision;
  /** For an encrypted drop: its session key, sealed. */
  contentKey?: Buffer | null | undefined;
  /** Since when the file counts as known, for the search for earlier payments. */
  agedFrom?: Date | undefined;
  /** Its rows repeat payments of files that came from then on; without it, whenever they came. */
  comparedFrom?: Date | undefined;
  /** The newest forgotten call that it was compared with. */
  comparedTo?: number | undefined;
  /** What was made of some faults; without it, they were not applied. */
  faultRules?: EffectRules;
};

/**
 * Makes the moves `accept`, `hold` or `reject` of files, one or many, in the transaction that wrote their rows. A rejected
 * file keeps its rows, so that a search for an invoice finds them, but no batch. This also ends the count of their readings.
 * @returns the files as they are now, in the same order
 * @throws PipelineError MOVE_REFUSED when one of them is decided already
 */
export async function decideFiles(tx: Transaction, decided: readonly DecidedFile[]): Promise<PlainFileRow[]> {
  const { rows: made } = await tx.client.query<{ file_id: string }>(
    `SELECT file_id FROM commit_intake($1, ${tx.databaseNow}, $2)`,
    [tx.at, storableJson(decided.map(toCommit))],
  );
  const { rows } = await tx.client.query<PlainFileRow>('SELECT * FROM file WHERE file_id = ANY ($1)', [
    made.map((one) => one.file_id),
  ]);
  return decided.map(({ fileId, findings, decision }) => {
    const { verdict } = decision;
    const moved = mustMove(
      rows.find((one) => one.file_id === fileId),
      `${verdict} file "${fileId}"`,
    );
    // The audit trail is kept forever, and the mark of the rows must not be.
    const { rowSet: _rowSet, ...kept } = findings;
    const [code, reason] = decision.verdict === 'accept' ? [] : [decision.code, decision.reason];
    const because = { actor: 'worker:intake', reason: reason ?? 'every check passed', evidence: { ...kept, code } };
    noteFileMove(tx, verdict, fileId, moved.account, because);
    const { account, operation } = moved;
    tx.count('paydrop_rows_total', { account, operation, outcome: 'invalid' }, findings.invalidRows);
    return moved;
  });
}

/** Returns what `read_decisions` in schemas/ledger/intake.sql takes. */
function toCommit({
  fileId,
  findings,
  decision,
  contentKey,
  agedFrom,
  comparedFrom,
  comparedTo,
  faultRules,
}: DecidedFile) {
  const why = decision.verdict === 'accept' ? undefined : decision;
  return {
    fileId,
    state: FILE_MOVES.find(({ name }) => name === decision.verdict)!.to,
    code: why?.code,
    reason: why?.reason,
    duplicateOf: why?.duplicateOf,
    layout: findings.layout,
    headerLine: findings.headerLine,
    physicalLines: findings.physicalLines,
    blankLines: findings.blankLines,
    records: findings.records,
    validRows: findings.validRows,
    validCents: findings.validCents,
    invalidRows: findings.invalidRows,
    contentSha256: findings.message?.sha256,
    profileLines: findings.profile,
    rowSet: findings.rowSet,
    contentKey: contentKey?.toString('base64'),
    agedFrom,
    comparedFrom,
    comparedTo: comparedTo === 0 ? undefined : comparedTo,
    faultRules,
  };
}
