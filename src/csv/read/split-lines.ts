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
  const ends = { lf: 0, crlf: 0, cr: 0 };
  let pending = '';
  let tooLong = false;
  let cutAfterCr = false;
  let number = 0;

  function push(text: string): Line[] {
    const lines: Line[] = [];
    if (text === '') return lines;
    let from = settleCutCr(text);
    let cr = text.indexOf('\r', from);
    let lf = text.indexOf('\n', from);
    while (cr >= 0 || lf >= 0) {
      const at = cr < 0 || (lf >= 0 && lf < cr) ? lf : cr;
      lines.push(finishLine(text.slice(from, at)));
      from = at + countEnd(text, at);
      if (cr >= 0 && cr < from) cr = text.indexOf('\r', from);
      if (lf >= 0 && lf < from) lf = text.indexOf('\n', from);
    }
    keep(text.slice(from));
    return lines;
  }

  /** Returns the last line, when it has no line end. */
  function end(): Line | undefined {
    if (cutAfterCr) ends.cr += 1;
    cutAfterCr = false;
    return pending === '' && !tooLong ? undefined : finishLine('');
  }

  /** Settles a CR at the end of the previous piece: only now is it known whether an LF follows. */
  function settleCutCr(text: string): 0 | 1 {
    if (!cutAfterCr) return 0;
    cutAfterCr = false;
    const hasLf = text.startsWith('\n');
    ends[hasLf ? 'crlf' : 'cr'] += 1;
    return hasLf ? 1 : 0;
  }

  /** Counts the line end at this position by its kind and returns its length. */
  function countEnd(text: string, at: number): 1 | 2 {
    if (text[at] === '\n') {
      ends.lf += 1;
      return 1;
    }
    if (text[at + 1] === '\n') {
      ends.crlf += 1;
      return 2;
    }
    if (at + 1 < text.length) ends.cr += 1;
    else cutAfterCr = true;
    return 1;
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

  return {
    push,
    end,
    physicalLines: () => number,
    mixesLineEnds: () => [ends.lf, ends.crlf, ends.cr].filter((count) => count > 0).length > 1,
  };
}
