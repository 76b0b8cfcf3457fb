import { writePrint } from '../../src/ledger/copy/row-tuples.ts';
import { type TupleWriter, tupleWriter } from '../../src/ledger/copy/tuple-writer.ts';
import { PRINT_BYTES } from '../../src/crypto/fingerprints/row-print.ts';

/** What is the same for all prints of a file. */
export type PrintsOf = {
  readonly fileNo: number;
  /** Where they go (src/ledger/duplicates/fingerprint-volumes.ts). */
  readonly volume: number;
};

/**
 * Gathers the prints of a file, and gives them out as tuples of row_print in long runs, each in the order of the prints: what
 * comes to an index in its own order costs half of what comes at random. Holds one run, of 20 bytes for each print.
 * @param runRows after which a run is given out
 */
export function printRuns(of: PrintsOf, runRows: number = RUN_ROWS) {
  const to = tupleWriter();
  let room = Math.min(runRows, FIRST_ROWS);
  let prints = new Uint8Array(room * PRINT_BYTES);
  let lines = new Uint32Array(room);
  /** Of each print its first four bytes as a number, as PostgreSQL orders it, and behind them its place in the run. */
  let keys = new Float64Array(room);
  let count = 0;

  /** @param at where the print stands in the bytes */
  function add(bytes: Buffer, at: number, line: number): void {
    if (count === room) grow();
    for (let index = 0; index < PRINT_BYTES; index += 1) prints[count * PRINT_BYTES + index] = bytes[at + index]!;
    lines[count] = line;
    keys[count] = bytes.readInt32BE(at) * MOST_ROWS + count;
    count += 1;
  }

  function grow(): void {
    room *= 2;
    prints = copyInto(new Uint8Array(room * PRINT_BYTES), prints);
    lines = copyInto(new Uint32Array(room), lines);
    keys = copyInto(new Float64Array(room), keys);
  }

  /**
   * Tuples of all that was added, a piece at a time; then a new run begins.
   * @param memory gives that many bytes for a piece; left out, each gets memory of its own
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
    writePrint(tuples, of, lines[place]!, prints, place * PRINT_BYTES);
  }

  return { add, take, isFull: () => count >= runRows };
}

/** Twice as many would gain a tenth more and take 5 MB more. */
const RUN_ROWS = 262_144;

const FIRST_ROWS = 1_024;

/** More than a run ever has: it is given out when it is full, or a group of rows later. Leaves a key exact. */
const MOST_ROWS = 2 ** 20;

/** Of one COPY. */
const PIECE_ROWS = 16_384;

function copyInto<Numbers extends { set(from: Numbers): void }>(to: Numbers, from: Numbers): Numbers {
  to.set(from);
  return to;
}
