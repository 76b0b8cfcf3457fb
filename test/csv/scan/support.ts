import { DECLINED, newRowScan, type RowScan } from '../../../src/csv/scan/row-scan.ts';

export type ScannedCell = { readonly sent: string; readonly rest: string; readonly scan: RowScan };

/**
 * Scans the cell at the start of a text.
 * @returns what is sent for it and what follows it, or undefined when the scan declines it
 */
export function scanCellOf(
  text: string,
  scanCell: (scan: RowScan, at: number) => number,
  settings: Partial<RowScan> = {},
): ScannedCell | undefined {
  const scan = {
    ...newRowScan(),
    input: Buffer.from(`,${text}`),
    output: new Uint8Array(text.length + 20),
    ...settings,
  };
  const end = scanCell(scan, 1);
  if (end === DECLINED) return undefined;
  return {
    sent: Buffer.from(scan.output.subarray(0, scan.to)).toString(),
    rest: scan.input.toString('utf8', end),
    scan,
  };
}
