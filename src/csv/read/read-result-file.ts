import { parse } from 'csv-parse/sync';
import type { RowResult } from '../../rows/rows.ts';
import { type Line, lineSplitter } from './split-lines.ts';

type ResultOptions = {
  /** Most rows to return. Pass more than were sent, so that extra rows show. */
  maxRows?: number;
  /** Columns of the layout. If set, everything after them is the message, including commas. */
  columnCount?: number;
};

/**
 * Reads a result file of the service: one row per line, the submitted cells and then a message. It skips blank lines
 * and accepts quoted cells, although none have been seen so far.
 *
 * It judges nothing: short rows, foreign rows and stray quotes come out as they are. Only the comparison with the sent
 * rows can tell what they mean.
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

/** Decodes UTF-8, which paydrop sends. Otherwise decodes byte by byte, so numbers and amounts stay readable. */
function decodeResult(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return Buffer.from(bytes).toString('latin1');
  }
}

/** Splits a single line, so that an unclosed quote costs one row and not all that follow. */
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
  // A short row also has its message last.
  const end = Math.max(0, Math.min(columnCount, cells.length - 1));
  const trimmed = cells.map((cell) => cell.trim());
  return { position, cells: trimmed.slice(0, end), message: trimmed.slice(end).join(',') };
}
