import { DECLINED, newRowDesk, type RowDesk } from '../../../src/csv/scan/row-desk.ts';

export type ScannedCell = { readonly sent: string; readonly rest: string; readonly desk: RowDesk };

/**
 * Scans the cell at the start of a text.
 * @returns what is sent for it and what follows it, or undefined when the scan declines it
 */
export function scanCellOf(
  text: string,
  scan: (desk: RowDesk, at: number) => number,
  settings: Partial<RowDesk> = {},
): ScannedCell | undefined {
  const desk = {
    ...newRowDesk(),
    input: Buffer.from(`,${text}`),
    output: new Uint8Array(text.length + 20),
    ...settings,
  };
  const end = scan(desk, 1);
  if (end === DECLINED) return undefined;
  return {
    sent: Buffer.from(desk.output.subarray(0, desk.to)).toString(),
    rest: desk.input.toString('utf8', end),
    desk,
  };
}
