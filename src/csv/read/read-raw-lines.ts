import type { FolderOperation } from '../../../schemas/operations.ts';
import type { RawRow } from '../../rows/rows.ts';
import { type Charset, openPlainText, type PlainText } from './open-plain-text.ts';
import { unguardCell } from '../write/guard-cell.ts';
import { hasReasonColumn, leaveOutReason } from '../check/find-header.ts';
import { findLineEnd, readBlocks } from './read-blocks.ts';
import { CR, LF, QUOTE as QUOTE_MARK } from '../../kernel/byte-names.ts';
import { isPlainlyQuoted, splitPayments, splitPlainRow } from './split-cells.ts';
import { blankFilter, type Line, LONGEST_LINE, newFileShape } from './split-lines.ts';

/**
 * The data rows of one block of a payment file. A plain row (see split-cells.ts) stays in the bytes; only the others
 * are split into cells. Most rows therefore cost nothing until they are used.
 */
export type RawLines = {
  readonly bytes: Buffer;
  /** Physical line of each row, counted from 1, and the row's position in `bytes` if it is plain. */
  readonly lines: readonly number[];
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** Cells of the rows that are not plain, by row index. */
  readonly cells: ReadonlyMap<number, readonly string[]>;
  /** Cells as the sender wrote them, by row index, of a file that an import profile reads. */
  readonly sender?: ReadonlyMap<number, readonly string[]>;
  /** Places of cells of a workbook whose text does not say all that it holds, by row index. */
  readonly misread?: ReadonlyMap<number, ReadonlySet<number>>;
  /** No rows follow. */
  readonly isLast: boolean;
};

/** What the check found out about a file, so that a second read finds the same rows. */
export type RawLineOptions = {
  charset: Charset;
  headerLine: number | null;
  /** Set for payment files, whose reason column is then left out as in the check. Other files are read in full. */
  operation?: FolderOperation;
};

/** Returns whether the row at `place` is plain and stays in the bytes. */
export function standsInBytes(rows: RawLines, place: number): boolean {
  return rows.ends[place]! > 0;
}

/** Returns the cells of the row at `place`. */
export function cellsOf(rows: RawLines, place: number): readonly string[] {
  return (
    rows.cells.get(place) ??
    splitPlainRow(rows.bytes.toString('latin1', rows.starts[place], rows.ends[place])).map(unguardCell)
  );
}

/**
 * Reads the data rows of a payment file again, in file order and with the line numbers of the check. It applies no
 * rule. As in the check, an unreadable line is a row without cells. The next block overwrites the bytes of this one.
 */
export async function* readRawLines(
  source: AsyncIterable<Uint8Array>,
  options: RawLineOptions,
): AsyncGenerator<RawLines> {
  const text = await openPlainText(source, options.charset);
  const scan = lineScanner(text.decodeLine, options);
  for await (const { bytes, isLast } of readBlocks(text.source)) yield scan(bytes, isLast);
}

/** For each byte: whether it is printable ASCII, and whether it is a quote. */
const PRINTABLE = 1;
const QUOTE = 2;
const KIND = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte === QUOTE_MARK) return PRINTABLE | QUOTE;
  return byte >= 0x20 && byte <= 0x7e ? PRINTABLE : 0;
});

function wordsOf({ buffer, byteOffset, length }: Buffer): Int32Array {
  return byteOffset % 4 === 0 ? new Int32Array(buffer, byteOffset, length >> 2) : NO_WORDS;
}

const NO_WORDS = new Int32Array(0);

/**
 * Skips printable ASCII without quotes four bytes at a time, which is three times as fast as one by one. A byte below
 * the space borrows from its highest bit. One above the tilde has that bit or gets it. A quote becomes zero first and
 * then borrows the same way. Stopping too early does no harm.
 */
function skipOrdinary(words: Int32Array, from: number): number {
  let place = from >> 2;
  for (; place < words.length; place += 1) {
    const word = words[place]!;
    const quotes = word ^ 0x22222222;
    if (((word | (word - 0x20202020) | (word + 0x01010101) | (quotes - 0x01010101)) & HIGHEST_BITS) !== 0) break;
  }
  return place << 2;
}

const HIGHEST_BITS = 0x80808080 | 0;

/** Returns a scanner for one block after another. It parses lines that are not plain together. */
function lineScanner(decodeLine: PlainText['decodeLine'], { headerLine, operation }: RawLineOptions) {
  const blanks = blankFilter(newFileShape());
  let number = 0;
  let header: RawRow | undefined;

  return (bytes: Buffer, isLast: boolean): RawLines => {
    const found = { lines: [] as number[], starts: [] as number[], ends: [] as number[] };
    const words = wordsOf(bytes);
    const odd: Line[] = [];
    const oddPlaces: number[] = [];

    const keep = (line: number, start: number, end: number): void => {
      found.lines.push(line);
      found.starts.push(start);
      found.ends.push(end);
    };
    const keepOdd = (line: Line): void => {
      if (line.number === headerLine) {
        header = splitPayments([line])[0];
        return;
      }
      oddPlaces.push(found.lines.length);
      odd.push(line);
      keep(line.number, 0, 0);
    };

    for (let at = 0; at < bytes.length; ) {
      const start = at;
      number += 1;
      let kinds = 0;
      for (let kind: number; at < bytes.length && (kind = KIND[bytes[at]!]!) > 0; at += 1) {
        kinds |= kind;
        if ((at & 3) === 3) at = skipOrdinary(words, at + 1) - 1;
      }
      const end = at;
      if (bytes[at] === CR && bytes[at + 1] === LF) at += 1;
      // The filter decides about blank lines, and about lines after a possible end mark.
      const isPrintable = bytes[at] === LF && bytes[start]! > 0x20 && end - start <= LONGEST_LINE;
      const isPlain = isPrintable && ((kinds & QUOTE) === 0 || isPlainlyQuoted(bytes, start, end));
      if (isPlain && !blanks.isWaiting()) {
        at += 1;
        if (number === headerLine)
          header = { line: number, cells: splitPlainRow(bytes.toString('latin1', start, end)) };
        else keep(number, start, end);
        continue;
      }
      const lineEnd = findLineEnd(bytes, end);
      const kept: Line[] = [];
      const line = readLine(bytes.subarray(start, lineEnd));
      if (lineEnd === bytes.length) blanks.takeLast(line, kept);
      else blanks.take(line, kept);
      kept.forEach(keepOdd);
      at = lineEnd + (bytes[lineEnd] === CR && bytes[lineEnd + 1] === LF ? 2 : 1);
    }
    const cells = splitPayments(odd).map((record, index) => [oddPlaces[index]!, record.cells] as const);
    return withoutReason({ bytes, ...found, cells: new Map(cells), isLast });
  };

  function readLine(bytes: Buffer): Line {
    const text = decodeLine(bytes);
    const tooLong = text.length > LONGEST_LINE;
    return { number, text: tooLong ? '' : text, tooLong };
  }

  function withoutReason(rows: RawLines): RawLines {
    if (!operation || !header || !hasReasonColumn(operation, header)) return rows;
    const records = rows.lines.map((line, place) => ({ line, cells: cellsOf(rows, place) }));
    const nowhere = records.map(() => 0);
    return {
      bytes: Buffer.alloc(0),
      lines: rows.lines,
      starts: nowhere,
      ends: nowhere,
      cells: new Map(leaveOutReason(operation, header, records).map((row, place) => [place, row.cells])),
      isLast: rows.isLast,
    };
  }
}

/** Reads the data rows of a payment file again, as `readRawLines` finds them, each with its cells. */
export async function* readRawRows(
  source: AsyncIterable<Uint8Array>,
  options: RawLineOptions,
): AsyncGenerator<readonly RawRow[]> {
  for await (const rows of readRawLines(source, options)) {
    if (rows.lines.length > 0) yield rows.lines.map((line, place) => ({ line, cells: cellsOf(rows, place) }));
  }
}
