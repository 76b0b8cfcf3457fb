import type { LayoutName } from '../../../schemas/layouts.ts';
import { LF } from '../../kernel/byte-names.ts';
import type { CheckRules } from '../check/check-rules.ts';
import { paymentHasher } from '../check/hash-payment.ts';
import { behindLineEnd, findLineEnd } from '../read/read-blocks.ts';
import { LONGEST_LINE } from '../read/split-lines.ts';
import { compileRowScan } from './compile-row-scan.ts';
import { DECLINED, newRowScan, type RowScan } from './row-scan.ts';
import { ENDS_WITH, LINE_ENDS, REPLACED, REPLACED_WORDS, ROWS, type ScannedRows } from './scanned-rows.ts';

export type ScanOrder = {
  readonly layout: LayoutName;
  readonly rules: CheckRules;
  /** Key of the payment hashes. */
  readonly hashKey: Uint32Array;
};

/** Scans whole lines with their ends, from one position of a block to another, and skips the lines it declines. */
export type BlockScan = (bytes: Buffer, from: number, to: number, found: ScannedRows) => void;

export function compileBlockScan({ layout, rules, hashKey }: ScanOrder): BlockScan {
  const scanRow = compileRowScan(layout, rules);
  const hashPayment = paymentHasher(hashKey);
  const scan = newRowScan();

  return (bytes, from, to, found) => {
    const { places, nextPlaces, starts, cents, hashes } = found;
    let row = 0;
    let lineEnds = 0;
    found.counts[REPLACED] = 0;
    scan.input = bytes;
    scan.output = found.bytes;
    for (let at = from; at < to; ) {
      scan.to = starts[row]!;
      const lineEnd = scanRow(scan, at);
      if (lineEnd === DECLINED || lineEnd - at > LONGEST_LINE) {
        at = behindLineEnd(bytes, findLineEnd(bytes, at));
        continue;
      }
      const next = behindLineEnd(bytes, lineEnd);
      lineEnds |= bytes[lineEnd] === LF ? ENDS_WITH.lf : next - lineEnd === 2 ? ENDS_WITH.crlf : ENDS_WITH.cr;
      places[row] = at;
      nextPlaces[row] = next;
      cents[row] = scan.cents;
      hashPayment(scan, hashes, row);
      if (scan.replaced.length > 0) noteReplaced(scan, row, found);
      row += 1;
      starts[row] = scan.to;
      at = next;
    }
    found.counts[ROWS] = row;
    found.counts[LINE_ENDS] = lineEnds;
  };
}

function noteReplaced({ replaced }: RowScan, row: number, found: ScannedRows): void {
  for (const { column, start, end } of replaced) {
    const at = found.counts[REPLACED]! * REPLACED_WORDS;
    found.replaced[at] = row;
    found.replaced[at + 1] = column;
    found.replaced[at + 2] = start;
    found.replaced[at + 3] = end;
    found.counts[REPLACED]! += 1;
  }
}
