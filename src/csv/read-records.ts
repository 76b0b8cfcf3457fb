import { decodeText, type Charset } from './decode-text.ts';
import { splitCells, type LineRecord } from './split-cells.ts';
import { type Line, lineSplitter } from './split-lines.ts';

/** What the lines of a file showed besides their cells; complete once the last group was taken. */
export type FileShape = {
  physicalLines: number;
  /** Empty lines, lines of white space, and the Ctrl-Z that old programs write at the end. */
  blankLines: number;
  mixesLineEnds: boolean;
  /** The last line has no line end, the only visible trace of a file that was cut (F20). */
  isLastLineOpen: boolean;
};

export function newFileShape(): FileShape {
  return { physicalLines: 0, blankLines: 0, mixesLineEnds: false, isLastLineOpen: false };
}

/** Lines read at a time. Counted in lines, so groups do not depend on how the bytes were cut. */
const GROUP_LINES = 512;

/**
 * Bytes to records, one per line that is not blank, in groups and only as fast as they are taken. Nothing is kept of a
 * group once it was given out, so memory does not grow with the file.
 * @param shape filled in on the way
 */
export async function* readRecords(
  source: AsyncIterable<Uint8Array>,
  charset: Charset,
  shape: FileShape,
): AsyncGenerator<LineRecord[]> {
  const splitter = lineSplitter();
  const filter = blankFilter(shape);
  let waiting: Line[] = [];
  for await (const text of decodeText(source, charset)) {
    for (const line of splitter.push(text)) filter.take(line, waiting);
    let taken = 0;
    for (; waiting.length - taken >= GROUP_LINES; taken += GROUP_LINES) {
      yield splitCells(waiting.slice(taken, taken + GROUP_LINES));
    }
    if (taken > 0) waiting = waiting.slice(taken);
  }
  filter.takeLast(splitter.end(), waiting);
  shape.physicalLines = splitter.physicalLines();
  shape.mixesLineEnds = splitter.mixesLineEnds();
  for (let start = 0; start < waiting.length; start += GROUP_LINES) {
    yield splitCells(waiting.slice(start, start + GROUP_LINES));
  }
}

const CTRL_Z = '\u001a';

/** Leaves out blank lines. A Ctrl-Z on a line of its own is blank too, but only as the last thing in the file. */
function blankFilter(shape: FileShape) {
  let endMark: Line | undefined;

  function take(line: Line, kept: Line[]): void {
    const content = line.text.trim();
    if (content === '' && !line.tooLong) {
      shape.blankLines += 1;
      return;
    }
    if (endMark) kept.push(endMark);
    endMark = content === CTRL_Z ? line : undefined;
    if (!endMark) kept.push(line);
  }

  /** @param line the last line, when it has no line end */
  function takeLast(line: Line | undefined, kept: Line[]): void {
    const keptBefore = kept.length;
    if (line) take(dropEndMark(line), kept);
    shape.isLastLineOpen = line !== undefined && kept.length > keptBefore && !endMark;
    if (endMark) shape.blankLines += 1;
  }

  return { take, takeLast };
}

/** The Ctrl-Z of a program that wrote it right behind the last row. One on a line of its own stays, to be seen. */
function dropEndMark(line: Line): Line {
  const row = line.text.slice(0, -1);
  const isBehindRow = line.text.endsWith(CTRL_Z) && row.trim() !== '' && !row.includes(CTRL_Z);
  return isBehindRow ? { ...line, text: row } : line;
}
