import { OUTCOMES, type SentOutcome } from '../../schemas/lifecycle.ts';

/**
 * One outcome per row of a batch (ReconciledRow in rows.ts), packed: the texts in one run of bytes, the rest in
 * columns. A batch of thousands of rows is then a few objects instead of several per row.
 */
export type PackedOutcomes = {
  readonly rows: number;
  /** Physical line of each row, counted from 1. */
  readonly lines: Uint32Array;
  /** Index of the outcome in OUTCOME_NAMES. */
  readonly outcomes: Uint8Array;
  /** Rejection code, or NO_CODE. */
  readonly codes: Int32Array;
  /** UTF-8: for each row its message, then its authorization. */
  readonly texts: Buffer;
  /** Ends of the texts: the message of row `n` ends at `ends[2 * n]`, its authorization at the next entry. */
  readonly ends: Uint32Array;
};

export const OUTCOME_NAMES = Object.keys(OUTCOMES) as readonly (keyof typeof OUTCOMES)[];

export const NO_CODE = -1;

/** Packs outcomes of at most `mostRows` rows, in the order in which they are added. */
export function outcomePacker(mostRows: number) {
  const lines = new Uint32Array(mostRows);
  const outcomes = new Uint8Array(mostRows);
  const codes = new Int32Array(mostRows);
  const ends = new Uint32Array(2 * mostRows);
  let texts = Buffer.allocUnsafe(Math.max(1, mostRows) * USUAL_TEXT_BYTES);
  let size = 0;
  let rows = 0;

  /** Begins a row; its message and its authorization must follow. */
  function addRow(line: number, outcome: SentOutcome, code: number | null): void {
    lines[rows] = line;
    outcomes[rows] = OUTCOME_NAMES.indexOf(outcome);
    codes[rows] = code ?? NO_CODE;
    rows += 1;
  }

  function makeRoom(bytes: number): void {
    if (size + bytes <= texts.length) return;
    const larger = Buffer.allocUnsafe((size + bytes) * 2);
    larger.set(texts.subarray(0, size));
    texts = larger;
  }

  function addBytes(end: 'message' | 'authorization', from: Uint8Array, start: number, stop: number): void {
    makeRoom(stop - start);
    // There are few bytes, so this loop is cheaper than creating a view.
    for (let at = start; at < stop; at += 1, size += 1) texts[size] = from[at]!;
    ends[2 * rows - (end === 'message' ? 2 : 1)] = size;
  }

  function addText(end: 'message' | 'authorization', text: string): void {
    makeRoom(text.length * MOST_BYTES_OF_UNIT);
    size += texts.write(text, size);
    ends[2 * rows - (end === 'message' ? 2 : 1)] = size;
  }

  return {
    addRow,
    addBytes,
    addText,
    finish: (): PackedOutcomes => ({ rows, lines, outcomes, codes, texts: texts.subarray(0, size), ends }),
  };
}

/** An approval with its code, twice. */
const USUAL_TEXT_BYTES = 32;
const MOST_BYTES_OF_UNIT = 3;
