import { checkPaymentFile } from '../../../src/csv/check/check-payment-file.ts';
import { reachableBytes } from '../reachable-bytes.ts';
import { cardLine, rulesWith } from '../support.ts';

/** Result of a complete check: its rows, the size of the file, and how far the memory it holds grew. */
type Measured = { readonly rows: number; readonly bytes: number; readonly growth: number };

const LOOKS = 8;

/**
 * Checks a file and measures how far held memory rises above its level after an eighth of the pieces. By then all code
 * is compiled and all tables have their first size.
 */
async function measureCheck(pieces: number, makePiece: (index: number) => Buffer): Promise<Measured> {
  const sum = { rows: 0, bytes: 0 };
  const looks: number[] = [];
  async function* source(): AsyncGenerator<Buffer> {
    for (let index = 0; index < pieces; index += 1) {
      const piece = makePiece(index);
      sum.bytes += piece.length;
      yield piece;
      if (index % Math.ceil(pieces / LOOKS) === 0) looks.push(reachableBytes());
    }
    looks.push(reachableBytes());
  }
  for await (const { packed } of checkPaymentFile(source(), rulesWith())) sum.rows += packed.count;
  const [, early = 0, ...later] = looks;
  return { ...sum, growth: Math.max(...later) - early };
}

const PIECE_ROWS = 500;

/** Measures a file of that many rows, each with an invoice of its own. */
export function measureRows(rows: number): Promise<Measured> {
  return measureCheck(rows / PIECE_ROWS, (index) => {
    const lines = Array.from({ length: PIECE_ROWS }, (_, n) => cardLine({ invoice: `N-${index * PIECE_ROWS + n}` }));
    return Buffer.from(lines.map((line) => `${line}\n`).join(''));
  });
}

export const LINE_PIECE_BYTES = 65_536;

/** Measures one line without an end, in that many pieces, each with bytes of its own. */
export function measureLine(pieces: number): Promise<Measured> {
  return measureCheck(pieces, () => Buffer.alloc(LINE_PIECE_BYTES, 'x'));
}
