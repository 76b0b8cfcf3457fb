import type { Line } from './split-lines.ts';

/** Lines searched for header and layout, and lines per group. Lines do not depend on how the bytes arrive. */
export const GROUP_LINES = 512;

/** What the lines of a file show besides their cells; complete after the last one. */
export type FileShape = {
  physicalLines: number;
  /** Empty lines, white-space lines, and the Ctrl-Z that old programs write at the end. */
  blankLines: number;
  /** The last line has no line end: the only visible trace of a truncated file. */
  isLastLineOpen: boolean;
  mixesLineEnds: boolean;
};

export function newFileShape(): FileShape {
  return { physicalLines: 0, blankLines: 0, mixesLineEnds: false, isLastLineOpen: false };
}

const CTRL_Z = '\u001a';

/** Drops blank lines. A Ctrl-Z on its own line counts as blank only at the end of the file. */
export function blankFilter(count: Pick<FileShape, 'blankLines' | 'isLastLineOpen'>) {
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

  /** Returns whether a Ctrl-Z line is held back; the next line that is not blank decides what it is. */
  function isWaiting(): boolean {
    return endMark !== undefined;
  }

  return { take, takeLast, isWaiting };
}

/** Drops a Ctrl-Z written directly after the last row. One on its own line stays for `blankFilter`. */
function dropEndMark(line: Line): Line {
  const row = line.text.slice(0, -1);
  const isBehindRow = line.text.endsWith(CTRL_Z) && row.trim() !== '' && !row.includes(CTRL_Z);
  return isBehindRow ? { ...line, text: row } : line;
}
