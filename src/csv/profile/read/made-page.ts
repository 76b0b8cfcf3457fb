import { APOSTROPHE, COMMA, LF, QUOTE } from '../../../kernel/byte-names.ts';
import { unguardCell } from '../../write/guard-cell.ts';

/** Writes the lines of the made file as bytes, because strings that wait for each other cost more than both. */
export function madePage() {
  let bytes = Buffer.allocUnsafe(FIRST_PAGE_BYTES);
  let length = 0;
  let isFirst = true;

  /** @param made undefined for a blank line */
  function addLine(made: readonly string[] | undefined): void {
    // The end of the last line is not known before the end of the file.
    if (!isFirst) {
      makeRoom(1);
      bytes[length] = LF;
      length += 1;
    }
    isFirst = false;
    if (made && !writePlain(made)) writeText(quotedLine(made));
  }

  /** Writes a row of plain cells. @returns whether it was one; otherwise nothing is written */
  function writePlain(made: readonly string[]): boolean {
    let room = made.length;
    for (const cell of made) room += cell.length;
    makeRoom(room);
    let at = length;
    for (const cell of made) {
      for (let place = 0; place < cell.length; place += 1) {
        const code = cell.charCodeAt(place);
        if (code > LAST_PLAIN || code === COMMA || code === QUOTE || code === APOSTROPHE) return false;
        bytes[at] = code;
        at += 1;
      }
      bytes[at] = COMMA;
      at += 1;
    }
    // No comma behind the last cell.
    length = at - 1;
    return true;
  }

  function writeText(text: string): void {
    makeRoom(3 * text.length);
    length += bytes.write(text, length);
  }

  function makeRoom(more: number): void {
    if (length + more <= bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * (length + more));
    bytes.copy(larger, 0, 0, length);
    bytes = larger;
  }

  function take(): Uint8Array {
    const written = bytes.subarray(0, length);
    bytes = Buffer.allocUnsafe(bytes.length);
    length = 0;
    return written;
  }

  return { addLine, take, hasLines: () => !isFirst };
}

const FIRST_PAGE_BYTES = 65_536;
const LAST_PLAIN = 0x7e;

/** A cell that only looks guarded gets the apostrophe that its reader takes off. */
function quotedLine(made: readonly string[]): string {
  return made.map(quotedCell).join(',');
}

function quotedCell(cell: string): string {
  const guarded = unguardCell(cell) === cell ? cell : `'${cell}`;
  return /[",]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}
