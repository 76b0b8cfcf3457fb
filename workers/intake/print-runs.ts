import { writePrint } from '../../src/ledger/copy/row-tuples.ts';
import { type TupleWriter, tupleWriter } from '../../src/ledger/copy/tuple-writer.ts';
import { PRINT_BYTES } from '../../src/crypto/fingerprints/row-print.ts';

/** What all fingerprints of a file share. */
export type PrintsOf = {
  readonly fileNo: number;
  /** Where they go (src/ledger/duplicates/fingerprint-volumes.ts). */
  readonly volume: number;
};

/**
 * Gathers the fingerprints of a file and yields them as `row_print` tuples in long sorted runs. Inserting in index
 * order costs half of inserting at random. It holds one run, 20 bytes per fingerprint.
 * @param runRows rows that fill a run
 */
export function printRuns(of: PrintsOf, runRows: number = RUN_ROWS) {
  const to = tupleWriter();
  let room = Math.min(runRows, FIRST_ROWS);
  let prints = new Uint8Array(room * PRINT_BYTES);
  let lines = new Uint32Array(room);
  /** Sort keys: the first four bytes of a fingerprint as PostgreSQL orders them, then its place in the run. */
  let keys = new Float64Array(room);
  let count = 0;

  /** @param at where the fingerprint starts in `bytes` */
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
    writePrint(tuples, of, lines[place]!, prints, place * PRINT_BYTES);
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
