import { parse } from 'csv-parse/sync';
import type { RowResult } from '../../rows/rows.ts';
import { type Line, lineSplitter } from './split-lines.ts';

type ResultOptions = {
  /** Reading stops here; a hostile answer may be endless. Ask for more than were sent, so that extra rows show. */
  maxRows?: number;
  /** Columns of the layout. Given, whatever follows them is the message, also when it holds a comma. */
  columnCount?: number;
};

/**
 * Reads a result file of the service: one row per line, the submitted cells and a message behind
 * them. Blank lines are skipped. Cells may be quoted, although none were seen so far.
 *
 * Reads whatever is there and judges nothing: a short row, a foreign row or stray quotes come out as they are, because
 * only the comparison with the sent rows can tell what they mean.
 */
export function readResultFile(bytes: Uint8Array, options: ResultOptions = {}): RowResult[] {
  const splitter = lineSplitter();
  const lines: (Line & { endsOpen?: true })[] = splitter.push(decodeResult(bytes));
  const last = splitter.end();
  if (last) lines.push({ ...last, endsOpen: true });
  return lines
    .filter((line) => line.text.trim() !== '')
    .slice(0, options.maxRows)
    .map(({ text, endsOpen }, index) => ({
      ...toResult(splitResult(text), index + 1, options.columnCount),
      ...(endsOpen && { endsOpen }),
    }));
}

/** UTF-8, which we send; else the characters byte by byte, so that the numbers and amounts can be read in any case. */
function decodeResult(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return Buffer.from(bytes).toString('latin1');
  }
}

/** Line by line, so that a quote that is never closed costs one row and not all that follow. */
function splitResult(text: string): string[] {
  if (!text.includes('"')) return text.split(',');
  try {
    const [cells = []] = parse(text, { relax_quotes: true, relax_column_count: true, trim: true });
    return cells;
  } catch {
    return text.split(',');
  }
}

function toResult(cells: readonly string[], position: number, columnCount = cells.length - 1): RowResult {
  // A short row has its message last all the same.
  const end = Math.max(0, Math.min(columnCount, cells.length - 1));
  const trimmed = cells.map((cell) => cell.trim());
  return { position, cells: trimmed.slice(0, end), message: trimmed.slice(end).join(',') };
}
