import type { FileRow } from '../../src/ledger/engine/records.ts';
import type { Figures } from '../../src/reconcile/control-totals.ts';

/** What the control totals compare and the file itself says, as it was counted at the intake. Money is integer cents. */
export function figuresOfFile(
  file: FileRow,
): Pick<
  Figures,
  | 'control'
  | 'approved'
  | 'sha256'
  | 'physicalLines'
  | 'blankLines'
  | 'headerLines'
  | 'records'
  | 'valid'
  | 'invalidRows'
> {
  return {
    control: file.control,
    // A file keeps the reason for which it was held; one that waits still was approved by nobody.
    approved: file.reason_code !== null && file.state !== 'held',
    sha256: file.sha256,
    physicalLines: file.physical_lines ?? 0,
    blankLines: file.blank_lines ?? 0,
    headerLines: file.header_line === null ? 0 : 1,
    records: file.records ?? 0,
    valid: { rows: file.valid_rows ?? 0, cents: file.valid_cents ?? 0 },
    invalidRows: file.invalid_rows ?? 0,
  };
}
