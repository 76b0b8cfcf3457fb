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

  /** Returns the last line, when it has no line end. */
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
