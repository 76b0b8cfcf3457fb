/** A physical line without its end. `text` is empty when the line is too long to be kept. */
export type Line = { readonly number: number; readonly text: string; readonly tooLong: boolean };

/** Longest line that is kept, in characters. The longest payment row has about 900. */
export const LONGEST_LINE = 16_384;

/**
 * Cuts text that comes in pieces into physical lines, counted from 1. CRLF, LF and a lone CR all end a line, also when
 * a CRLF is cut between two pieces, so that whatever reads the lines can never see half a line end.
 *
 * Of a line that is too long only the number is kept: a file of one endless line takes no more memory than any other.
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

  /** The last line, when it has no line end of its own. */
  function end(): Line | undefined {
    if (cutAfterCr) ends.cr += 1;
    cutAfterCr = false;
    return pending === '' && !tooLong ? undefined : finishLine('');
  }

  /** A line that ended with the CR of the piece before: only now is it known whether its LF follows. */
  function settleCutCr(text: string): 0 | 1 {
    if (!cutAfterCr) return 0;
    cutAfterCr = false;
    const hasLf = text.startsWith('\n');
    ends[hasLf ? 'crlf' : 'cr'] += 1;
    return hasLf ? 1 : 0;
  }

  /** Counts the line end at this place by its kind and gives its length. */
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
