import type { Block } from '../read/read-blocks.ts';
import { type BlockScan, compileBlockScan, type ScanOrder } from './scan-block.ts';
import { SCANNED_BYTES, type ScannedRows, scannedRowsIn } from './scanned-rows.ts';
import type { scanHelper } from './scan-helper.ts';

/** Returns the rows that the scanner takes from each block, using the helper's result if there is one. */
export function blockScans(helper?: Pick<ReturnType<typeof scanHelper>, 'begin' | 'take'>) {
  let scanBlock: BlockScan;
  let own: ScannedRows;

  /** Call this once, when header and layout are known. */
  function begin(order: ScanOrder): void {
    scanBlock = compileBlockScan(order);
    own = scannedRowsIn(new ArrayBuffer(SCANNED_BYTES));
    helper?.begin(order, scanBlock);
  }

  /** @returns the rows of the lines from `from` to `to` of the block, valid until the next call */
  function scan(block: Block, from: number, to: number): ScannedRows {
    const found = helper?.take(block);
    if (found) return found;
    scanBlock(block.bytes, from, to, own);
    return own;
  }

  return { begin, scan };
}
