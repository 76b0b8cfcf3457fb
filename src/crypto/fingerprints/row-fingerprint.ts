import { FOLDER_OPERATIONS, type FolderOperation } from '../../../schemas/operations.ts';
import { deriveKey } from '../derive-key.ts';
import type { Fingerprinter } from './fingerprint.ts';
import { copyBytes, loosenAccount, loosenText } from './loosen.ts';
import { MAC_BYTES, ManyMacs } from './many-macs.ts';
import { loosenJoined, loosenTurned, ROOM_FOR_TURNED } from './turned-text.ts';

/** Columns that identify the payer of a row. */
export const PAYER_KINDS = ['customerCode', 'cardNumber', 'accountNumber'] as const;
export type PayerKind = (typeof PAYER_KINDS)[number];

export const FINGERPRINT_BYTES = 8;

/**
 * Source of payment fingerprints within an account, made of cents, invoice and payer as normalized by `loosen.ts`.
 *
 * A fingerprint has two halves of 32 bits. The first is equal for payments of one invoice and amount by any payer. The
 * second has two bits for the kind of payer, and 30 for invoice, payer and amount together. So equal payments have equal
 * fingerprints. A payment whose payer is named differently is found in the range of its first half and another kind. The
 * rows found are then compared themselves, because 64 bits are not enough among so many.
 * Both halves come from MACs (AES-256-CMAC): with the ledger but without the key, no number can be tried.
 */
export class RowFingerprints {
  readonly #ofInvoices: ManyMacs;
  readonly #ofRows: ManyMacs;
  #scratch = new Uint8Array(256);
  #kinds = new Uint8Array(16);
  #count = 0;

  /** @param key of `fingerprintKey` */
  constructor(key: Uint8Array) {
    this.#ofInvoices = new ManyMacs(deriveKey(key, ['prints of invoices']));
    this.#ofRows = new ManyMacs(deriveKey(key, ['prints of payments']));
  }

  /**
   * Adds a payment; `take` returns its fingerprint with the others.
   * @param bytes holds invoice and payer, each from its first byte to the one after its last
   */
  add(
    bytes: Uint8Array,
    invoiceFrom: number,
    invoiceTo: number,
    payerFrom: number,
    payerTo: number,
    cents: number,
    kind: PayerKind,
  ): void {
    this.#makeRoom(invoiceTo - invoiceFrom + payerTo - payerFrom);
    const middle = loosenText(bytes, invoiceFrom, invoiceTo, this.#scratch, 0);
    this.#addLoose(middle, LOOSEN_PAYER[kind](bytes, payerFrom, payerTo, this.#scratch, middle), cents, kind);
  }

  /**
   * Adds further fingerprints for a payment whose invoice or customer code a spreadsheet or a person may have rewritten
   * (turned-text.ts). Both spellings share them.
   * @returns how many were added; 0 for nearly all payments
   */
  addTurned(
    bytes: Uint8Array,
    invoiceFrom: number,
    invoiceTo: number,
    payerFrom: number,
    payerTo: number,
    cents: number,
    kind: PayerKind,
  ): number {
    this.#makeRoom(invoiceTo - invoiceFrom + payerTo - payerFrom + 2 * ROOM_FOR_TURNED);
    const scratch = this.#scratch;
    let added = 0;
    for (const loosenOther of OTHER_WAYS) {
      const other = loosenOther(bytes, invoiceFrom, invoiceTo, scratch, 0);
      const middle = other < 0 ? loosenText(bytes, invoiceFrom, invoiceTo, scratch, 0) : other;
      const otherCode = kind === 'customerCode' ? loosenOther(bytes, payerFrom, payerTo, scratch, middle) : -1;
      if (other < 0 && otherCode < 0) continue;
      const end = otherCode < 0 ? LOOSEN_PAYER[kind](bytes, payerFrom, payerTo, scratch, middle) : otherCode;
      this.#addLoose(middle, end, cents, kind);
      added += 1;
    }
    return added;
  }

  take(): Buffer {
    const [invoices, rows] = [this.#ofInvoices.take(), this.#ofRows.take()];
    const [kinds, count] = [this.#kinds, this.#count];
    const fingerprints = Buffer.allocUnsafe(count * FINGERPRINT_BYTES);
    for (let row = 0; row < count; row += 1) {
      invoices.copy(fingerprints, row * FINGERPRINT_BYTES, row * MAC_BYTES, row * MAC_BYTES + 4);
      const payer = rows.readUInt32BE(row * MAC_BYTES) % 2 ** PAYER_BITS;
      fingerprints.writeUInt32BE(kinds[row]! * 2 ** PAYER_BITS + payer, row * FINGERPRINT_BYTES + 4);
    }
    this.#count = 0;
    return fingerprints;
  }

  #makeRoom(bytes: number): void {
    if (this.#scratch.length < bytes) this.#scratch = new Uint8Array(2 * bytes);
  }

  /** @param middle where the invoice ends and the payer begins in `scratch`; the payer ends at `end` */
  #addLoose(middle: number, end: number, cents: number, kind: PayerKind): void {
    const [ofInvoices, ofRows, scratch] = [this.#ofInvoices, this.#ofRows, this.#scratch];
    ofInvoices.addBytes(scratch, 0, middle);
    ofInvoices.addNumber(cents);
    ofInvoices.end();
    // The length separates invoice and payer, which otherwise could read the same when joined.
    ofRows.addNumber(middle);
    ofRows.addBytes(scratch, 0, end);
    ofRows.addNumber(cents);
    ofRows.end();
    if (this.#count === this.#kinds.length) this.#kinds = grown(this.#kinds);
    this.#kinds[this.#count] = PAYER_KINDS.indexOf(kind);
    this.#count += 1;
  }
}

/**
 * Returns the fingerprint by which a payment is found whoever pays it: its invoice and amount, and a fourth kind of payer
 * that no payment has.
 */
export function withoutPayer(fingerprints: Buffer): Buffer {
  const changed = Buffer.from(fingerprints);
  for (let at = 4; at < changed.length; at += FINGERPRINT_BYTES)
    changed.writeUInt32BE(PAYER_KINDS.length * 2 ** PAYER_BITS, at);
  return changed;
}

const OTHER_WAYS = [loosenTurned, loosenJoined];

/** Bits for the payer, below the bits for its kind. */
const PAYER_BITS = 30;

const LOOSEN_PAYER = {
  customerCode: loosenText,
  cardNumber: copyBytes,
  accountNumber: loosenAccount,
} as const;

function grown(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(2 * bytes.length);
  larger.set(bytes);
  return larger;
}

/**
 * Returns a 32-byte key for the fingerprints of one agent code, whatever account names it, separate for charges and refunds. Fingerprints under
 * different keys have nothing in common.
 */
export function fingerprintKey(fingerprint: Fingerprinter, agentMark: string, operation: FolderOperation): Buffer {
  const sign = FOLDER_OPERATIONS[operation].sign > 0 ? 'charges' : 'refunds';
  return keyFor(fingerprint, ['prints of payments', agentMark, sign]);
}

/** Returns two fingerprints of 16 bytes, of parts used nowhere else. */
export function keyFor(fingerprint: Fingerprinter, use: readonly string[]): Buffer {
  return Buffer.concat([fingerprint(['key', '1', ...use]), fingerprint(['key', '2', ...use])]);
}
