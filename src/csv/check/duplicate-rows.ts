import { randomBytes } from 'node:crypto';
import { HASH_WORDS, paymentHasher } from './hash-payment.ts';

/**
 * Remembers payments by a hash of 64 bits and the line of each, to find the second of two that are alike. A
 * million rows take 16 MB in one typed array; keeping the texts would take ten times that, and keep card numbers.
 *
 * Two different payments have the same hash once in some thirty million files of a million rows. The second is then
 * reported as a duplicate, and a person who looks at both lines sees that it is none.
 * @param expectRows asked when the first rows are known: how many the whole file may have, 0 when nobody can say. A good
 *   answer saves copying the table again and again; a bad one costs no more than that
 */
export function duplicateRows(expectRows: () => number = () => 0) {
  const hashKey = new Uint32Array(new Uint8Array(randomBytes(4 * HASH_WORDS)).buffer);
  const hashPayment = paymentHasher(hashKey);
  const written = { output: new Uint8Array(0), invoiceStart: 0, invoiceEnd: 0, payerStart: 0, payerEnd: 0, cents: 0 };
  const hash = new Uint32Array(HASH_WORDS);
  let table = newTable(FIRST_ROWS);
  let most = FIRST_ROWS;
  let used = 0;

  /**
   * Reads the places that these hashes have in the table, all at once. Each is far from the others, so the processor has
   * to wait for it; it waits for many together when nothing depends on them, and finds them near when they are needed.
   */
  function fetchSlots(hashes: Uint32Array, from: number, to: number): void {
    const slots = table.length / SLOT_WORDS;
    let sum = 0;
    for (let row = from; row < to; row += 1) sum += table[homeOf(hashes[row * HASH_WORDS]!, slots)]!;
    // What nobody keeps need not be read.
    hash[0] = sum;
  }

  /**
   * The line on which the payment of this hash stood first, or 0 when this is the first one; then it is remembered.
   * @param line counted from 1, because 0 marks an empty slot
   */
  function findFirstLineOf(hashes: Uint32Array, row: number, line: number): number {
    const low = hashes[row * HASH_WORDS]!;
    const high = hashes[row * HASH_WORDS + HIGH]!;
    const at = findSlot(table, low, high);
    const firstLine = table[at + LINE]!;
    if (firstLine > 0) return firstLine;
    fillSlot(table, at, low, high, line);
    used += 1;
    if (used === most) grow();
    return 0;
  }

  /** Small tables double. What is expected is asked when enough was read to tell, and rounded up, as it may be too few. */
  function grow(): void {
    const expected = most === TELLING_ROWS ? Math.ceil(1.05 * expectRows()) : 0;
    most = Math.max(2 * most, Math.min(expected, MOST_EXPECTED));
    table = movedTo(newTable(most), table);
  }

  /** The same for a payment that is held as texts, which have the same hash as their bytes. */
  function findFirstLine(payment: { invoice: string; payer: string; cents: number }, line: number): number {
    const size = 3 * (payment.invoice.length + payment.payer.length);
    if (size > written.output.length) written.output = new Uint8Array(2 * size);
    written.invoiceEnd = ENCODER.encodeInto(payment.invoice, written.output).written;
    written.payerStart = written.invoiceEnd;
    const { written: payerBytes } = ENCODER.encodeInto(payment.payer, written.output.subarray(written.payerStart));
    written.payerEnd = written.payerStart + payerBytes;
    written.cents = payment.cents;
    hashPayment(written, hash, 0);
    return findFirstLineOf(hash, 0, line);
  }

  return { hashKey, fetchSlots, findFirstLineOf, findFirstLine };
}

const ENCODER = new TextEncoder();

/** Rows that the first table takes, and of how many the number of all is guessed. */
const FIRST_ROWS = 1_024;
const TELLING_ROWS = 64 * FIRST_ROWS;

/** No more is believed of any file: a table of this size has a gigabyte. */
const MOST_EXPECTED = 2 ** 26;

/** Slots for each row: a quarter stays empty, so a walk over neighbours is short. */
const ROOM = 4 / 3;

/** A slot is two words of the hash and the line, side by side, so that a look at it costs one access to memory. */
const SLOT_WORDS = 3;
const HIGH = 1;
const LINE = 2;

function newTable(rows: number): Uint32Array<ArrayBuffer> {
  return new Uint32Array(Math.ceil(rows * ROOM) * SLOT_WORDS);
}

/** Where a hash belongs when nobody is there before: the slots share all words evenly, in their order. */
function homeOf(low: number, slots: number): number {
  return Math.floor((low * slots) / 2 ** 32) * SLOT_WORDS;
}

/** The place of this hash, or of the empty slot where it belongs. There are always empty ones, so the walk ends. */
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

/** Both tables are gone through in the order of the hashes, so nothing is fetched twice. */
function movedTo(larger: Uint32Array<ArrayBuffer>, table: Uint32Array): Uint32Array<ArrayBuffer> {
  for (let at = 0; at < table.length; at += SLOT_WORDS) {
    if (table[at + LINE] === 0) continue;
    const low = table[at]!;
    const high = table[at + HIGH]!;
    fillSlot(larger, findSlot(larger, low, high), low, high, table[at + LINE]!);
  }
  return larger;
}
