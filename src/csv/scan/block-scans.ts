import type { Block } from '../read/read-blocks.ts';
import { type BlockScan, compileBlockScan, type ScanOrder } from './scan-block.ts';
import { SCANNED_BYTES, type ScannedRows, scannedRowsIn } from './scanned-rows.ts';
import type { scanHelper } from './scan-helper.ts';

/** Gives the rows that the scanner takes of each block, from the helper where there is one that has them. */
export function blockScans(helper?: Pick<ReturnType<typeof scanHelper>, 'begin' | 'take'>) {
  let scanBlock: BlockScan;
  let own: ScannedRows;

  /** Call it once, when header and layout are known. */
  function begin(order: ScanOrder): void {
    scanBlock = compileBlockScan(order);
    own = scannedRowsIn(new ArrayBuffer(SCANNED_BYTES));
    helper?.begin(order, scanBlock);
  }

  /** @returns the rows of the lines from one place of the block to another, until the next block is asked for */
  function scan(block: Block, from: number, to: number): ScannedRows {
    const found = helper?.take(block);
    if (found) return found;
    scanBlock(block.bytes, from, to, own);
    return own;
  }

  return { begin, scan };
}
