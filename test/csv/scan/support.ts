import { DECLINED, newRowDesk, type RowDesk } from '../../../src/csv/scan/row-desk.ts';

export type ScannedCell = { readonly sent: string; readonly rest: string; readonly desk: RowDesk };

/**
 * Scans the cell that a text begins with.
 * @returns what is sent of it and what stands behind it, or undefined when it is declined
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
