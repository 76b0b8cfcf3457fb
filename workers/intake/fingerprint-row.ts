import type { App } from '../../src/app.ts';
import type { Fault, PaymentRow } from '../../src/rows/rows.ts';
import type { FileRow } from '../../src/ledger/engine/records.ts';
import { RowFingerprints, FINGERPRINT_BYTES, fingerprintKey } from '../../src/crypto/fingerprints/row-fingerprint.ts';
import { boundOf } from '../../src/ledger/merchant/bound-accounts.ts';
import { writeFingerprint } from '../../src/ledger/copy/row-tuples.ts';
import { TupleWriter } from '../../src/ledger/copy/tuple-writer.ts';
import { DuplicateRows } from '../../src/csv/check/duplicate-rows.ts';
import type { FlaggedRows } from '../../src/ledger/duplicates/flag-charged-rows.ts';

/**
 * Returns a function for the fingerprints that identify a payment: agent code, sign of the operation, invoice, amount and
 * payer. It takes rows as objects; intake makes the same from their bytes (intake/encode-rows.ts).
 * @returns gives one to three fingerprints for a row, `FINGERPRINT_BYTES` each
 */
export function rowFingerprinter(
  app: Pick<App, 'fingerprint' | 'ledger'>,
  { account, operation }: Pick<FileRow, 'account' | 'operation'>,
): (row: PaymentRow) => Buffer {
  const fingerprinter = new RowFingerprints(fingerprintKeyOf(app, { account, operation }));
  const numberKind = operation === 'card' ? 'cardNumber' : 'accountNumber';
  return ({ invoice, number, customerCode, amountCents }) => {
    const bytes = Buffer.from(invoice + (number || customerCode));
    const end = Buffer.byteLength(invoice);
    const payment = [bytes, 0, end, end, bytes.length, amountCents, number ? numberKind : 'customerCode'] as const;
    fingerprinter.add(...payment);
    fingerprinter.addTurned(...payment);
    return fingerprinter.take();
  };
}

/** Returns the key for the payments of the merchant that an account means, see fingerprintKey. */
export function fingerprintKeyOf(
  { fingerprint, ledger }: Pick<App, 'fingerprint' | 'ledger'>,
  { account, operation }: Pick<FileRow, 'account' | 'operation'>,
): Buffer {
  return fingerprintKey(fingerprint, boundOf(ledger, account).agentMark, operation);
}

/** What all fingerprints of a file share. */
export type FingerprintsOf = {
  readonly fileNo: number;
  /** Where they go (src/ledger/duplicates/fingerprint-volumes.ts). */
  readonly volume: number;
};

/**
 * Gathers the fingerprints of a file and yields them as `row_fingerprint` tuples in long sorted runs. Inserting in index
 * order costs half of inserting at random. It holds one run, 20 bytes per fingerprint.
 * @param runRows rows that fill a run
 */
export function fingerprintRuns(of: FingerprintsOf, runRows: number = RUN_ROWS) {
  const to = new TupleWriter();
  let room = Math.min(runRows, FIRST_ROWS);
  let fingerprints = new Uint8Array(room * FINGERPRINT_BYTES);
  let lines = new Uint32Array(room);
  /** Sort keys: the first four bytes of a fingerprint as PostgreSQL orders them, then its place in the run. */
  let keys = new Float64Array(room);
  let count = 0;

  /** @param at where the fingerprint starts in `bytes` */
  function add(bytes: Buffer, at: number, line: number): void {
    if (count === room) grow();
    for (let index = 0; index < FINGERPRINT_BYTES; index += 1)
      fingerprints[count * FINGERPRINT_BYTES + index] = bytes[at + index]!;
    lines[count] = line;
    keys[count] = bytes.readInt32BE(at) * MOST_ROWS + count;
    count += 1;
  }

  function grow(): void {
    room *= 2;
    fingerprints = copyInto(new Uint8Array(room * FINGERPRINT_BYTES), fingerprints);
    lines = copyInto(new Uint32Array(room), lines);
    keys = copyInto(new Float64Array(room), keys);
  }

  /**
   * Yields tuples of all that was added, piece by piece, then begins a new run.
   * @param memory gives that many bytes for a piece; without it each gets its own
   */
  function* take(memory?: (bytes: number) => Uint8Array): Generator<Uint8Array> {
    keys.subarray(0, count).sort();
    for (let from = 0; from < count; from += PIECE_ROWS) {
      for (let rank = from; rank < Math.min(count, from + PIECE_ROWS); rank += 1) write(to, keys[rank]!);
      yield to.take(memory)!;
    }
    count = 0;
  }

  function write(tuples: TupleWriter, key: number): void {
    const place = key - Math.floor(key / MOST_ROWS) * MOST_ROWS;
    writeFingerprint(tuples, of, lines[place]!, fingerprints, place * FINGERPRINT_BYTES);
  }

  return { add, take, isFull: () => count >= runRows };
}

/** Twice as many would gain a tenth more and take 5 MB more. */
const RUN_ROWS = 262_144;

const FIRST_ROWS = 1_024;

/** More than a run ever has: a run is given out once full, or one group of rows later. Keeps the keys exact. */
const MOST_ROWS = 2 ** 20;

/** Rows of one COPY. */
const PIECE_ROWS = 16_384;

function copyInto<Numbers extends { set(from: Numbers): void }>(to: Numbers, from: Numbers): Numbers {
  to.set(from);
  return to;
}

/**
 * Finds rows of one file that are the same payment written another way, by their fingerprints
 * (crypto/fingerprints/row-fingerprint.ts). The check already reports identical rows.
 */
export function likeRows() {
  const payments = new DuplicateRows();
  const words = new Uint32Array(2);
  /** Lines already reported: a row may match others by several of its fingerprints. */
  const found = new Set<number>();
  let first = '';

  /**
   * Returns the fault of a row, by one of its fingerprints; undefined when it is the first of its kind or already
   * reported.
   * @param faults of the rows checked together
   */
  function findFault(fingerprints: Buffer, at: number, line: number, faults: readonly Fault[]): Fault | undefined {
    // The half with the payer comes first, because all rows of a file may share the other half.
    words[0] = fingerprints.readUInt32BE(at + 4) << 2;
    words[1] = fingerprints.readUInt32BE(at);
    const firstLine = payments.findFirstLineOf(words, 0, line);
    if (firstLine === 0 || firstLine === line || found.has(line)) return undefined;
    if (faults.some((fault) => fault.line === line && fault.code === 'DUPLICATE_ROW')) return undefined;
    const detail = `line ${firstLine} of this file`;
    first ||= detail;
    found.add(line);
    return { code: 'LIKE_ROW', line, detail };
  }

  return {
    findFault,
    flagged: (): FlaggedRows[] => (first ? [{ code: 'LIKE_ROW', rows: found.size, detail: first }] : []),
  };
}
