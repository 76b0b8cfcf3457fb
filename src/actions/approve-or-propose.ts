import type { Settings } from '../config/config.ts';
import { byNumber, counted } from '../kernel/counted.ts';
import { formatCents } from '../kernel/money.ts';
import { takesTwoToApprove } from '../config/second-person.ts';
import type { AuditReason } from '../ledger/engine/move.ts';
import { approveFile, proposeApproval } from '../ledger/file/release-held.ts';
import type { Ledger } from '../ledger/engine/open-ledger.ts';
import type { FaultCount } from '../ledger/row/fault-counts.ts';
import { withheldOf } from '../ledger/row/read-withheld.ts';
import type { FileRow } from '../ledger/engine/records.ts';
import { sayAmount } from '../reconcile/say-withheld.ts';
import { readHoldReasons } from '../explain/hold-reasons.ts';

/** Result of approving a held file. With a number it is only proposed. */
export type ApprovedOrProposed = { held: FaultCount[]; proposalNo?: number };

/**
 * Approves a held file, or proposes that where its account requires two persons. The audit trail records every hold
 * reason that is overridden.
 * @throws PipelineError MOVE_REFUSED, SECOND_PERSON, PROPOSAL_OPEN
 */
export async function approveOrPropose(
  ledger: Ledger,
  settings: Settings,
  file: FileRow,
  because: AuditReason,
): Promise<ApprovedOrProposed> {
  const held = await readHoldReasons(ledger, settings, file);
  const told = { ...because, evidence: { overrides: held.map(({ code }) => code) } };
  if (isTwoPersonMatter(settings, file)) return { held, proposalNo: await proposeApproval(ledger, file.file_id, told) };
  await approveFile(ledger, file.file_id, told);
  return { held };
}

export function isTwoPersonMatter({ accounts }: Pick<Settings, 'accounts'>, file: FileRow): boolean {
  return takesTwoToApprove(accounts.get(file.account), file.operation);
}

/** Says what an approved file sends. Batches that the send journal knows never leave, so the operator must end them. */
export function willBeSent(held: readonly FaultCount[], { file_id: fileId }: FileRow): string {
  const sent = 'will be sent, by a paydrop that runs or by "paydrop run --once"';
  if (!held.some(({ code }) => code === 'SENT_BEFORE')) return `${sent}.`;
  return `${sent}, except what was sent before: those batches never leave, and "paydrop why ${fileId}" says how to end them.`;
}

/** Describes the rows of a file. The operator must see that invalid rows stay behind even after approval. */
export function describeRows(file: FileRow): string {
  const { valid_rows: rows, valid_cents: cents, invalid_rows: withheld } = file;
  const valid = `${counted(rows ?? 0, 'valid row')} with a total of ${formatCents(cents ?? 0)}`;
  return withheld
    ? `${valid} (${withheld} more ${byNumber(withheld, 'is', 'are')} invalid and withheld: ${sayAmount(withheldOf(file))})`
    : valid;
}
