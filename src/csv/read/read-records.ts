import { type BlankCount, blankFilter } from './blank-lines.ts';
import { decodeText, type Charset } from './decode-text.ts';
import { splitPayments, type LineRecord } from './split-cells.ts';
import { type Line, lineSplitter } from './split-lines.ts';

/** What the lines of a file showed besides their cells; complete once the last group was taken. */
export type FileShape = BlankCount & { physicalLines: number; mixesLineEnds: boolean };

export function newFileShape(): FileShape {
  return { physicalLines: 0, blankLines: 0, mixesLineEnds: false, isLastLineOpen: false };
}

/**
 * Lines in which the header and the layout of a file are looked for, and lines read at a time. Counted in lines, so that
 * they do not depend on how the bytes were cut.
 */
export const GROUP_LINES = 512;

/**
 * Bytes to records, one per line that is not blank, in groups and only as fast as they are taken. Nothing is kept of a
 * group once it was given out, so memory does not grow with the file.
 * @param shape filled in on the way
 * @param groupLines lines of a group; tests take fewer
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
