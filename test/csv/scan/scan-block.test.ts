import { describe, expect, it } from 'vitest';
import {
  compileBlockScan,
  ENDS_WITH,
  LINE_ENDS,
  newScannedRows,
  REPLACED,
  REPLACED_WORDS,
  ROWS,
} from '../../../src/csv/scan/scan-block.ts';
import { cardLine, rulesWith } from '../support.ts';

const scanBlock = compileBlockScan({ layout: 'card', rules: rulesWith(), hashKey: Uint32Array.of(1, 2) });
const found = newScannedRows();

/** Scans a text and returns for each row its line, the bytes to send and the cents. */
function scan(text: string, from = 0, to = text.length) {
  const block = Buffer.from(text);
  scanBlock(block, from, to, found);
  const { counts, places, nextPlaces, starts, bytes, cents, replaced } = found;
  const rows = Array.from({ length: counts[ROWS]! }, (_, row) => [
    block.toString('latin1', places[row], nextPlaces[row]),
    Buffer.from(bytes.subarray(starts[row], starts[row + 1])).toString(),
    cents[row],
  ]);
  const cells = Array.from({ length: counts[REPLACED]! }, (_, cell) => {
    const [row, column, start, end] = replaced.subarray(cell * REPLACED_WORDS, (cell + 1) * REPLACED_WORDS);
    return [row, column, block.toString('latin1', start, end)];
  });
  return { rows, cells, lineEnds: counts[LINE_ENDS] };
}

const ONE = cardLine({ invoice: 'N-1' });
const TWO = cardLine({ invoice: 'N-2', amount: '7.5' });

describe('compileBlockScan', () => {
  it('finds the rows of a block and passes over every other line', () => {
    const bad = [cardLine({ expiry: '0101' }), '', 'Zürich', '"', cardLine({ firstName: ' '.repeat(17_000) })];
    const text = `${bad[0]}\n${ONE}\n${bad.join('\n')}\n${TWO}\n${bad[1]}\n`;
    expect(scan(text).rows).toEqual([
      [`${ONE}\n`, `${ONE}\n`, 2_500],
      [`${TWO}\n`, `${cardLine({ invoice: 'N-2', amount: '7.50' })}\n`, 750],
    ]);
  });

  it('tells kinds of line ends', () => {
    expect(scan(`${ONE}\n`).lineEnds).toBe(ENDS_WITH.lf);
    expect(scan(`${ONE}\r\n${TWO}\r\n`).lineEnds).toBe(ENDS_WITH.crlf);
    expect(scan(`${ONE}\r${TWO}\n`).lineEnds).toBe(ENDS_WITH.cr | ENDS_WITH.lf);
  });

  it('names cells whose commas it replaced, and not those of lines that it declines', () => {
    const city = '"Troy, NY"';
    const text = `${cardLine({ city, expiry: '0101' })}\n${ONE}\n${cardLine({ city, lastName: '"B, C"' })}\n`;
    expect(scan(text).cells).toEqual([
      [1, 3, 'B, C'],
      [1, 5, 'Troy, NY'],
    ]);
  });

  it('begins where it is told, and takes no line that does not end', () => {
    const linesOf = (text: string, from?: number) => scan(text, from).rows.map(([line]) => line);
    expect(linesOf(`${ONE}\n${TWO}\n`, ONE.length + 1)).toEqual([`${TWO}\n`]);
    expect(linesOf(`${ONE}\n${TWO}`)).toEqual([`${ONE}\n`]);
    expect(scan('').rows).toEqual([]);
  });
});
