import { randomBytes } from 'node:crypto';
import { KeyedHash } from '../../rows/keyed-hash.ts';

/**
 * Remembers a 64-bit hash and the line of each payment, to find duplicates. A million rows take 16 MB in one typed
 * array; the texts would take ten times that and include card numbers.
 *
 * Two different payments share a hash about once in thirty million files of a million rows. The second is then reported
 * as a duplicate, and an operator who compares both lines sees that it is not.
 */
export class DuplicateRows {
  readonly hashKey = new Uint32Array(new Uint8Array(randomBytes(4 * HASH_WORDS)).buffer);
  readonly #hasher = new KeyedHash(this.hashKey);
  readonly #written = { output: NO_BYTES, invoiceStart: 0, invoiceEnd: 0, payerStart: 0, payerEnd: 0, cents: 0 };
  readonly #hash = new Uint32Array(HASH_WORDS);
  readonly #expectRows: () => number;
  #table = newTable(FIRST_ROWS);
  #most = FIRST_ROWS;
  #used = 0;

  /**
   * @param expectRows called once enough rows are known: estimates the rows of the whole file, 0 if unknown. A good
   *   estimate avoids repeated copying of the table; a bad one costs no more than that
   */
  constructor(expectRows: () => number = () => 0) {
    this.#expectRows = expectRows;
  }

  /**
   * Reads the table slots of these hashes all at once. Each is a cache miss. Since no read depends on another, the
   * processor waits for many together, and later lookups find them cached.
   */
  fetchSlots(hashes: Uint32Array, from: number, to: number): void {
    const table = this.#table;
    const slots = table.length / SLOT_WORDS;
    let sum = 0;
    for (let row = from; row < to; row += 1) sum += table[homeOf(hashes[row * HASH_WORDS]!, slots)]!;
    // Stores the sum, so that the compiler does not drop the unused reads.
    this.#hash[0] = sum;
  }

  /**
   * Returns the line where the payment of this hash first stood. For a new payment, remembers it and returns 0.
   * @param line counted from 1, because 0 marks an empty slot
   */
  findFirstLineOf(hashes: Uint32Array, row: number, line: number): number {
    const low = hashes[row * HASH_WORDS]!;
    const high = hashes[row * HASH_WORDS + HIGH]!;
    const at = findSlot(this.#table, low, high);
    const firstLine = this.#table[at + LINE]!;
    if (firstLine > 0) return firstLine;
    fillSlot(this.#table, at, low, high, line);
    this.#used += 1;
    if (this.#used === this.#most) this.#grow();
    return 0;
  }

  /** Doubles the table. At `TELLING_ROWS` a larger estimate wins, plus 5 % because it may be too low. */
  #grow(): void {
    const expected = this.#most === TELLING_ROWS ? Math.ceil(1.05 * this.#expectRows()) : 0;
    this.#most = Math.max(2 * this.#most, Math.min(expected, MOST_EXPECTED));
    this.#table = movedTo(newTable(this.#most), this.#table);
  }

  /** Does the same for a payment held as text, which has the same hash as its bytes. */
  findFirstLine(payment: { invoice: string; payer: string; cents: number }, line: number): number {
    const written = this.#written;
    const size = 3 * (payment.invoice.length + payment.payer.length);
    if (size > written.output.length) written.output = new Uint8Array(2 * size);
    written.invoiceEnd = writeText(payment.invoice, written.output, 0);
    written.payerStart = written.invoiceEnd;
    written.payerEnd = writeText(payment.payer, written.output, written.payerStart);
    written.cents = payment.cents;
    hashPayment(this.#hasher, written, this.#hash, 0);
    return this.findFirstLineOf(this.#hash, 0, line);
  }
}

const NO_BYTES = new Uint8Array(0);

const ENCODER = new TextEncoder();

/** Writes a text as UTF-8; ASCII, which nearly all is, without a call of the encoder. @returns where it ends */
function writeText(text: string, output: Uint8Array, at: number): number {
  for (let place = 0; place < text.length; place += 1) {
    const code = text.charCodeAt(place);
    if (code > LAST_ASCII) return at + ENCODER.encodeInto(text, output.subarray(at)).written;
    output[at + place] = code;
  }
  return at + text.length;
}

const LAST_ASCII = 0x7f;

/** Rows that the first table holds, and rows after which the total is estimated. */
const FIRST_ROWS = 1_024;
const TELLING_ROWS = 64 * FIRST_ROWS;

/** Limit for any estimate: a table of this size takes a gigabyte. */
const MOST_EXPECTED = 2 ** 26;

/** Slots per row. A quarter stays empty, so probing neighbors stays short. */
const ROOM = 4 / 3;

/** A slot holds two hash words and the line side by side, so a lookup costs one memory access. */
const SLOT_WORDS = 3;
const HIGH = 1;
const LINE = 2;

function newTable(rows: number): Uint32Array<ArrayBuffer> {
  return new Uint32Array(Math.ceil(rows * ROOM) * SLOT_WORDS);
}

/** Returns the home slot of a hash. The slots divide the range of the low word evenly, in its order. */
function homeOf(low: number, slots: number): number {
  return Math.floor((low * slots) / 2 ** 32) * SLOT_WORDS;
}

/** Returns the slot of this hash, or the empty slot where it belongs. Some slots are always empty, so the loop ends. */
function findSlot(table: Uint32Array, low: number, high: number): number {
  let at = homeOf(low, table.length / SLOT_WORDS);
  for (;;) {
    if (table[at + LINE] === 0 || (table[at] === low && table[at + HIGH] === high)) return at;
    at += SLOT_WORDS;
    if (at === table.length) at = 0;
  }
}

function fillSlot(table: Uint32Array, at: number, low: number, high: number, line: number): void {
  table[at] = low;
  table[at + HIGH] = high;
  table[at + LINE] = line;
}

/** Moves all entries. Both tables are walked in hash order, so nothing is fetched twice. */
function movedTo(larger: Uint32Array<ArrayBuffer>, table: Uint32Array): Uint32Array<ArrayBuffer> {
  for (let at = 0; at < table.length; at += SLOT_WORDS) {
    if (table[at + LINE] === 0) continue;
    const low = table[at]!;
    const high = table[at + HIGH]!;
    fillSlot(larger, findSlot(larger, low, high), low, high, table[at + LINE]!);
  }
  return larger;
}

/** What identifies a payment among others, as positions in a run of bytes; each part ends before its `End`. */
export type PaymentBytes = {
  output: Uint8Array;
  invoiceStart: number;
  invoiceEnd: number;
  /** The card or account number, or the customer code. */
  payerStart: number;
  payerEnd: number;
  cents: number;
};

/** Words of the hash of one payment. */
export const HASH_WORDS = 2;

/**
 * Writes the hash by which payments are compared at index `row` of `hashes`.
 * @param hasher has a key of its own for each file
 */
export function hashPayment(hasher: KeyedHash, payment: PaymentBytes, hashes: Uint32Array, row: number): void {
  hasher.takeBytes(payment.output, payment.invoiceStart, payment.invoiceEnd);
  hasher.takeNumber(payment.cents);
  hasher.takeBytes(payment.output, payment.payerStart, payment.payerEnd);
  hasher.finish(hashes, row * HASH_WORDS);
}
