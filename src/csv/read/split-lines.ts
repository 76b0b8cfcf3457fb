/** A physical line without its end. `text` is empty when the line is too long. */
export type Line = { readonly number: number; readonly text: string; readonly tooLong: boolean };

/** Longest line that is kept, in characters. The longest payment row has about 900. */
export const LONGEST_LINE = 16_384;

/**
 * Splits text that arrives in pieces into physical lines, counted from 1. CRLF, LF and a lone CR all end a line, even
 * when a CRLF is split between two pieces. No reader sees half a line end.
 *
 * Only the number of a too-long line is kept: a file of one endless line needs no more memory than any other.
 */
export function lineSplitter() {
  let pending = '';
  let tooLong = false;
  let cutAfterCr = false;
  let number = 0;

  function push(text: string): Line[] {
    const lines: Line[] = [];
    if (text === '') return lines;
    let from = cutAfterCr && text.startsWith('\n') ? 1 : 0;
    cutAfterCr = text.endsWith('\r');
    let cr = text.indexOf('\r', from);
    let lf = text.indexOf('\n', from);
    while (cr >= 0 || lf >= 0) {
      const at = cr < 0 || (lf >= 0 && lf < cr) ? lf : cr;
      lines.push(finishLine(text.slice(from, at)));
      from = at + (text[at] === '\r' && text[at + 1] === '\n' ? 2 : 1);
      if (cr >= 0 && cr < from) cr = text.indexOf('\r', from);
      if (lf >= 0 && lf < from) lf = text.indexOf('\n', from);
    }
    keep(text.slice(from));
    return lines;
  }

  function end(): Line | undefined {
    return pending === '' && !tooLong ? undefined : finishLine('');
  }

  function finishLine(rest: string): Line {
    keep(rest);
    number += 1;
    const line = { number, text: pending, tooLong };
    pending = '';
    tooLong = false;
    return line;
  }

  function keep(part: string): void {
    tooLong ||= pending.length + part.length > LONGEST_LINE;
    pending = tooLong ? '' : pending + part;
  }

  return { push, end };
}

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

export const CTRL_Z = '\u001a';

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
export function dropEndMark(line: Line): Line {
  const row = line.text.slice(0, -1);
  const isBehindRow = line.text.endsWith(CTRL_Z) && row.trim() !== '' && !row.includes(CTRL_Z);
  return isBehindRow ? { ...line, text: row } : line;
}
