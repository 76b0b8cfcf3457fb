import type { SentOutcome } from '../../schemas/lifecycle.ts';
import type { FolderOperation } from '../../schemas/operations.ts';
import { dropSpaces, readDigits, skipSpaces } from '../rows/cut-cells.ts';
import type { outcomePacker, PackedOutcomes } from '../rows/packed-outcomes.ts';
import { keptMessage } from './kept-message.ts';
import { readOutcome, type RowOutcome } from './read-outcome.ts';

/** Packs the outcome of a row from the bytes of its message. */
export type MessagePacker = {
  /**
   * @param from start of the message, including the spaces around it
   * @param endsOpen whether its line has no end
   */
  add(line: number, from: number, to: number, endsOpen: boolean): SentOutcome;
  finish(): PackedOutcomes;
};

/**
 * Creates a packer. Most messages are approvals, each with its own code, and are packed as they are. `readOutcome` and
 * `keptMessage` read all others, once for each text: there are a few dozen.
 */
export function messagePacker(
  operation: FolderOperation,
  packer: ReturnType<typeof outcomePacker>,
  bytes: Buffer,
): MessagePacker {
  const told = new Map<string, Told>();

  const tell = (text: string, endsOpen: boolean): Told => {
    const known = endsOpen ? undefined : told.get(text);
    if (known) return known;
    const cells = text.split(',').map((cell) => cell.trim());
    const message = cells.join(',');
    const one = { ...readOutcome(operation, message, endsOpen), message: keptMessage(message) };
    if (!endsOpen && told.size < MOST_TEXTS) told.set(text, one);
    return one;
  };

  return {
    add(line, from, to, endsOpen) {
      const start = skipSpaces(bytes, from, to);
      const stop = dropSpaces(bytes, start, to);
      const code = operation === 'card' ? findApprovalCode(bytes, start, stop) : undefined;
      if (code !== undefined) {
        packer.addRow(line, 'approved', null);
        packer.addBytes('message', bytes, start, stop);
        packer.addBytes('authorization', bytes, code, codeEnd(bytes, code, stop));
        return 'approved';
      }
      const one = tell(bytes.toString('utf8', from, to), endsOpen);
      packer.addRow(line, one.outcome, one.code);
      packer.addText('message', one.message);
      packer.addText('authorization', one.authorization);
      return one.outcome;
    },
    finish: () => packer.finish(),
  };
}

type Told = RowOutcome & { readonly message: string };

/** A service that writes a different text in each row must not fill the memory. */
const MOST_TEXTS = 500;

/**
 * Finds the start of an approval code: `OK: 678594`, also without the space, or followed by a colon or a colon and a
 * letter. Longer codes are masked when they are kept, so they are left to `readOutcome` and `keptMessage`.
 */
function findApprovalCode(bytes: Buffer, from: number, to: number): number | undefined {
  if (bytes[from] !== LETTER_O || bytes[from + 1] !== LETTER_K || bytes[from + 2] !== COLON) return undefined;
  const code = skipSpaces(bytes, from + 3, Math.min(to, from + 4));
  const end = codeEnd(bytes, code, to);
  if (end - code > LONGEST_CODE || readDigits(bytes, code, end) < 0) return undefined;
  const isWhole = end === to || end + 1 === to || (end + 2 === to && isLetter(bytes[end + 1]!));
  return isWhole ? code : undefined;
}

/** Returns the position of the colon after a code, or the end of the message. */
function codeEnd(bytes: Buffer, from: number, to: number): number {
  let at = from;
  while (at < to && bytes[at] !== COLON) at += 1;
  return at;
}

function isLetter(byte: number): boolean {
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

const LETTER_O = 0x4f;
const LETTER_K = 0x4b;
const COLON = 0x3a;
const LONGEST_CODE = 6;
