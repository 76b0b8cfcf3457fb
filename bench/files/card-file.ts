import { open } from 'node:fs/promises';
import { CARD_TITLES } from './card-profile.ts';

/** Describes a generated card file. Shares lie between 0 and 1. */
export type CardFileShape = {
  readonly rows: number;
  /** The same seed gives the same bytes; files of different seeds share no invoice. */
  readonly seed: number;
  /** Share of rows with a quoted field. */
  readonly quoted: number;
  /** Share of rows that no service would accept. */
  readonly invalid: number;
  /** Whether every field is quoted, as some spreadsheets write them. */
  readonly quotesAll?: boolean;
  /** Whether the first line holds the titles of the import profile. */
  readonly isTitled?: boolean;
};

export type MadeFile = { readonly path: string; readonly rows: number; readonly invalid: number };

/** A typical accounting file: one row in ten has a name with a comma, one in a hundred is invalid. */
export const ORDINARY = { seed: 1, quoted: 0.1, invalid: 0.01 } as const;

/** Writes a card file of the layout `card` in pieces, so that a large file needs little memory. */
export async function writeCardFile(path: string, shape: CardFileShape): Promise<MadeFile> {
  const file = await open(path, 'w');
  let invalid = 0;
  try {
    let text = shape.isTitled ? `${CARD_TITLES}\n` : '';
    for (const row of cardRows(shape)) {
      if (row.isInvalid) invalid += 1;
      text += row.line;
      if (text.length < PIECE) continue;
      await file.write(text);
      text = '';
    }
    await file.write(text);
  } finally {
    await file.close();
  }
  return { path, rows: shape.rows, invalid };
}

const PIECE = 1 << 20;

/** Yields the rows, each with its line end. */
export function* cardRows(shape: CardFileShape): Generator<{ line: string; isInvalid: boolean }> {
  const below = seededChoice(shape.seed);
  for (let n = 1; n <= shape.rows; n += 1) {
    const isQuoted = below(1_000) < shape.quoted * 1_000;
    const isInvalid = below(1_000) < shape.invalid * 1_000;
    const cells = rowCells(n, shape.seed, isQuoted, below);
    if (isInvalid) spoil(cells, below(SPOILS.length));
    yield { line: `${joinCells(cells, shape.quotesAll ?? false)}\n`, isInvalid };
  }
}

/** A date of this year, because the rules flag a distant date. */
const DATE = `06/15/${new Date().getFullYear()}`;

function rowCells(n: number, seed: number, isQuoted: boolean, below: (end: number) => number): string[] {
  const digits = `4${String(below(10_000_000)).padStart(7, '0')}${String(below(10_000_000)).padStart(7, '0')}`;
  const cents = 100 + below(90_000);
  return [
    DATE,
    `INV${seed}-${String(n).padStart(8, '0')}`,
    `Ada${below(500)}`,
    isQuoted ? 'Byron, Lady' : `Byron${below(1_000)}`,
    `${1 + below(9_999)} Mill Lane`,
    'Troy',
    'NY',
    String(10_000 + below(89_999)),
    (cents / 100).toFixed(2),
    'VISA',
    withCheckDigit(digits),
    '12/35',
  ];
}

/** Ways to make a row invalid: the cell and its wrong value. */
const SPOILS: readonly { cell: number; write: (value: string) => string }[] = [
  { cell: 11, write: () => '13/35' },
  { cell: 8, write: (amount) => `${amount}5` },
  // Never ends in 0: spreadsheets damage numbers that way, and paydrop would hold the whole file.
  { cell: 10, write: (number) => number.slice(0, -1) + String((Number(number.slice(-1)) % 9) + 1) },
  { cell: 9, write: () => 'VISO' },
];

function spoil(cells: string[], way: number): void {
  const { cell, write } = SPOILS[way]!;
  cells[cell] = write(cells[cell]!);
}

function joinCells(cells: readonly string[], quotesAll: boolean): string {
  return cells.map((cell) => (quotesAll || cell.includes(',') ? `"${cell}"` : cell)).join(',');
}

/** Appends the Luhn check digit, as card numbers have it. */
function withCheckDigit(digits: string): string {
  let sum = 0;
  for (let place = 0; place < digits.length; place += 1) {
    const digit = Number(digits[digits.length - 1 - place]);
    const doubled = place % 2 === 0 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return digits + String((10 - (sum % 10)) % 10);
}

/** Returns whole numbers from 0 to below `end`; the same seed gives the same numbers on every machine. */
export function seededChoice(seed: number): (end: number) => number {
  let state = seed >>> 0;
  return (end) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    // The high bits, because the low bits of this generator repeat after a few steps.
    return Math.floor((state / 2 ** 32) * end);
  };
}
