import { type BlankCount, blankFilter } from './blank-lines.ts';
import { decodeText, type Charset } from './decode-text.ts';
import { splitPayments, type LineRecord } from './split-cells.ts';
import { type Line, lineSplitter } from './split-lines.ts';

/** What the lines of a file show besides their cells; complete after the last group. */
export type FileShape = BlankCount & { physicalLines: number; mixesLineEnds: boolean };

export function newFileShape(): FileShape {
  return { physicalLines: 0, blankLines: 0, mixesLineEnds: false, isLastLineOpen: false };
}

/** Lines searched for header and layout, and lines per group. Lines do not depend on how the bytes arrive. */
export const GROUP_LINES = 512;

/**
 * Reads bytes into records, one per non-blank line, in groups and only as fast as the caller takes them. It keeps
 * nothing of a group after yielding it, so memory does not grow with the file.
 * @param shape filled in while reading
 * @param groupLines lines per group; tests use fewer
 */
export async function* readRecords(
  source: AsyncIterable<Uint8Array>,
  charset: Charset,
  shape: FileShape,
  groupLines = GROUP_LINES,
): AsyncGenerator<LineRecord[]> {
  const splitter = lineSplitter();
  const filter = blankFilter(shape);
  let waiting: Line[] = [];
  for await (const text of decodeText(source, charset)) {
    for (const line of splitter.push(text)) filter.take(line, waiting);
    let taken = 0;
    for (; waiting.length - taken >= groupLines; taken += groupLines) {
      yield splitPayments(waiting.slice(taken, taken + groupLines));
    }
    if (taken > 0) waiting = waiting.slice(taken);
  }
  filter.takeLast(splitter.end(), waiting);
  shape.physicalLines = splitter.physicalLines();
  shape.mixesLineEnds = splitter.mixesLineEnds();
  for (let start = 0; start < waiting.length; start += groupLines) {
    yield splitPayments(waiting.slice(start, start + groupLines));
  }
}
