import type { FileRow } from '../../src/ledger/engine/records.ts';
import type { Figures } from '../../src/reconcile/control-totals.ts';

/** Returns the file's own figures for the control totals, as counted at intake. Money is integer cents. */
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
    // A file keeps the reason it was held for; while it is still held, it is not approved.
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
