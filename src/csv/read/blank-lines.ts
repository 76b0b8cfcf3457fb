import type { Line } from './split-lines.ts';

/** What is counted on the way. */
export type BlankCount = {
  /** Empty lines, lines of white space, and the Ctrl-Z that old programs write at the end. */
  blankLines: number;
  /** The last line has no line end, the only visible trace of a file that was cut. */
  isLastLineOpen: boolean;
};

const CTRL_Z = '\u001a';

/** Leaves out blank lines. A Ctrl-Z on a line of its own is blank too, but only as the last thing in the file. */
export function blankFilter(count: BlankCount) {
  let endMark: Line | undefined;

  function take(line: Line, kept: Line[]): void {
    const content = line.text.trim();
    if (content === '' && !line.tooLong) {
      count.blankLines += 1;
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
    count.isLastLineOpen = line !== undefined && kept.length > keptBefore && !endMark;
    if (endMark) count.blankLines += 1;
  }

  /** Whether a line is held back of which only the next one that is not blank tells what it is. */
  function isWaiting(): boolean {
    return endMark !== undefined;
  }

  return { take, takeLast, isWaiting };
}

/** The Ctrl-Z of a program that wrote it right behind the last row. One on a line of its own stays, to be seen. */
function dropEndMark(line: Line): Line {
  const row = line.text.slice(0, -1);
  const isBehindRow = line.text.endsWith(CTRL_Z) && row.trim() !== '' && !row.includes(CTRL_Z);
  return isBehindRow ? { ...line, text: row } : line;
}
