import { isAscii, isUtf8 } from 'node:buffer';
import { type Profile, SEPARATORS } from '../../../../schemas/profiles.ts';
import type { Fault } from '../../../rows/rows.ts';
import { faultOfKind, openPlainText } from '../../read/open-plain-text.ts';
import { type Block, readBlocks } from '../../read/read-blocks.ts';
import { findUnreadable, type UnreadableFault } from '../../read/split-cells.ts';
import { CTRL_Z, dropEndMark, LONGEST_LINE } from '../../read/split-lines.ts';
import { cellSplitter, endsInQuotes } from './split-dialect.ts';

/** A row of the sender's file, before anything is known of its meaning. */
export type SourceRow = {
  /** Physical line, counted from 1. */
  readonly line: number;
  /** Lines that it takes; more than one only where the profile allows line ends within quotes. */
  readonly span: number;
  /** Empty when the row cannot be read. */
  readonly cells: readonly string[];
  readonly fault?: UnreadableFault;
  /** What a workbook says of the cells; absent in text files. */
  readonly typed?: TypedCells;
};

/**
 * What a cell of a workbook is.
 *
 * `long`     a number of more than 15 digits, so the last ones are lost
 * `padded`   a number that is shown with zeros in front
 * `unsaved`  a formula whose result is not saved
 */
export type CellType = 'empty' | 'text' | 'number' | 'padded' | 'date' | 'long' | 'error' | 'unsaved';

export type TypedCells = {
  /** One for each cell. */
  readonly types: readonly CellType[];
  /** Places of the cells that are results of formulas. */
  readonly formulas: readonly number[];
  readonly isHidden: boolean;
};

/** What the bytes of the file show besides its rows; complete after the last row. */
export type TextShape = {
  physicalLines: number;
  mixesLineEnds: boolean;
  /** The last line has no line end. */
  endsOpen: boolean;
  /** The same, and it is not blank: the only visible trace of a truncated file. */
  isLastLineOpen: boolean;
  readonly faults: Fault[];
};

export function newTextShape(): TextShape {
  return { physicalLines: 0, mixesLineEnds: false, endsOpen: false, isLastLineOpen: false, faults: [] };
}

type TextForm = Extract<Profile['read'], { kind: 'text' }>;

/**
 * Reads a text file as rows. A byte order mark is no part of the first row. What is no text has a fault and no rows.
 * @param takeRow called for each row. A row is worked off at once, because a million of them would fill the memory
 * @returns yields after each block of rows
 */
export async function* readTextRows(
  source: AsyncIterable<Uint8Array>,
  form: TextForm,
  shape: TextShape,
  takeRow: (row: SourceRow) => void,
): AsyncGenerator<void> {
  const text = await openPlainText(source, form.charset === 'utf-16' ? 'utf-8' : form.charset);
  if (text.kind !== undefined) {
    const detail = `it is ${text.kind}, and the profile reads text with a ${form.separator} between the cells`;
    const fault = faultOfKind(text.kind);
    shape.faults.push(fault.code === 'NOT_CSV' ? { ...fault, detail } : fault);
    for await (const _ of text.source) yield;
    return;
  }
  const foreign = foreignMark(form, text.mark);
  if (foreign) shape.faults.push({ code: 'CHARSET_DOUBT', line: 0, detail: foreign });
  const charsets = charsetWatch(form);
  const cutRows = rowCutter(form, shape, takeRow);
  for await (const { bytes, isLast } of readBlocks(text.source)) {
    charsets.take(bytes);
    if (isLast && charsets.isUtf8() && !foreign) {
      const detail = `accented letters are written as in UTF-8, not as in ${form.charset}`;
      shape.faults.push({ code: 'CHARSET_DOUBT', line: 0, detail });
    }
    cutRows(text.decodeLine(bytes), isLast);
    yield;
  }
}

function foreignMark({ charset }: TextForm, mark: 'utf-8' | 'utf-16' | undefined): string | undefined {
  if (mark && mark !== charset) return `its byte order mark is that of ${mark}, and the profile says ${charset}`;
  return charset === 'utf-16' && !mark ? 'it has no byte order mark, so it may not be utf-16' : undefined;
}

/** Looks for the proof that a file of single-byte characters is UTF-8: all its other bytes are well-formed. */
function charsetWatch({ charset }: TextForm) {
  let looksLikeUtf8 = false;
  let isDecided = charset === 'utf-8' || charset === 'utf-16';

  function take(bytes: Block['bytes']): void {
    if (isDecided || isAscii(bytes)) return;
    looksLikeUtf8 = isUtf8(bytes);
    isDecided = !looksLikeUtf8;
  }

  return { take, isUtf8: () => looksLikeUtf8 };
}

/** What no line may hold; without the line ends, so that a whole block is searched at once. */
const UNREADABLE = /[\0-\t\v\f\x0e-\x1f\x7f-\x9f\u2028\u2029\ufffd]/;
const UNREADABLE_BUT_TAB = /[\0-\x08\v\f\x0e-\x1f\x7f-\x9f\u2028\u2029\ufffd]/;

const ENDS = { lf: 1, crlf: 2, cr: 4 } as const;

/**
 * Cuts decoded blocks of whole lines into rows. A row is one line, unless the profile allows line ends within quotes:
 * each is then read as a space.
 */
function rowCutter(
  { separator, quotes, lineBreaks }: TextForm,
  shape: TextShape,
  takeRow: (row: SourceRow) => void,
): (block: string, isLast: boolean) => void {
  const mark = SEPARATORS[separator];
  const split = cellSplitter({ separator: mark, quotes });
  const unreadable = separator === 'tab' ? UNREADABLE_BUT_TAB : UNREADABLE;
  let lineEnds = 0;
  let isClean = true;
  let open: { text: string; line: number; span: number; isQuoted: boolean } | undefined;
  /** Line of an end mark behind which no text has come yet. */
  let endMark = 0;

  return (block, isLast) => {
    isClean = !unreadable.test(block);
    let cr = block.indexOf('\r');
    let lf = block.indexOf('\n');
    let at = 0;
    while (cr >= 0 || lf >= 0) {
      const end = cr < 0 || (lf >= 0 && lf < cr) ? lf : cr;
      const next = end + (end === cr && lf === end + 1 ? 2 : 1);
      lineEnds |= end === lf ? ENDS.lf : next - end === 2 ? ENDS.crlf : ENDS.cr;
      takeLine(block.slice(at, end));
      at = next;
      if (cr >= 0 && cr < at) cr = block.indexOf('\r', at);
      if (lf >= 0 && lf < at) lf = block.indexOf('\n', at);
    }
    if (isLast) takeLast(block.slice(at));
  };

  function takeLine(text: string): void {
    shape.physicalLines += 1;
    if (lineBreaks === 'space') takePart(text);
    else takeRow(rowOf(text, shape.physicalLines, 1));
  }

  /** Adds a line to the row that is open in quotes. One that gets too long ends, so that it takes no memory. */
  function takePart(text: string): void {
    const {
      text: before,
      line,
      span,
      isQuoted,
    } = open ?? { text: '', line: shape.physicalLines, span: 0, isQuoted: false };
    const isOpen = isQuoted !== endsInQuotes(text);
    open = { text: span > 0 ? `${before} ${text}` : text, line, span: span + 1, isQuoted: isOpen };
    if (!isOpen || open.text.length > LONGEST_LINE) endRow();
  }

  function endRow(): void {
    if (open) takeRow(rowOf(open.text, open.line, open.span));
    open = undefined;
  }

  function takeLast(rest: string): void {
    if (rest !== '') {
      const { text } = dropEndMark({ number: 0, text: rest, tooLong: false });
      takeLine(text);
      shape.endsOpen = true;
      shape.isLastLineOpen = text.trim() !== '' && endMark !== shape.physicalLines;
    }
    endRow();
    // More than one bit is set.
    shape.mixesLineEnds = (lineEnds & (lineEnds - 1)) !== 0;
  }

  function rowOf(text: string, line: number, span: number): SourceRow {
    const fault = findFault(text, line);
    const cells = fault ? [] : split(endMark === line ? '' : text);
    if (typeof cells === 'string') return { line, span, cells: [], fault: { code: cells } };
    return fault ? { line, span, cells, fault } : { line, span, cells };
  }

  function findFault(text: string, line: number): UnreadableFault | undefined {
    if (endMark > 0 && text.trim() !== '') refuseEndMark();
    if (isClean) return text.length > LONGEST_LINE ? { code: 'LINE_TOO_LONG' } : undefined;
    if (text.trim() === CTRL_Z) endMark = line;
    if (endMark === line) return undefined;
    return findUnreadable({ number: line, text, tooLong: text.length > LONGEST_LINE }, unreadable);
  }

  function refuseEndMark(): void {
    shape.faults.push({ code: 'CONTROL_CHARACTER', line: endMark, detail: 'U+001A before the end of the file' });
    endMark = 0;
  }
}
