import { storableText } from '../engine/storable-text.ts';

/**
 * Encodes rows for PostgreSQL's binary COPY: the number of columns per row, then the length and bytes of each column.
 * Everything goes into one buffer, so a million rows create no objects or strings of their own.
 */
export class TupleWriter {
  #memory: Buffer;
  #view: DataView;
  #at: number;

  /** @param roomBytes size of the rows, when known; a buffer that grows is copied each time */
  constructor(roomBytes = FIRST_BYTES) {
    this.#memory = Buffer.allocUnsafe(HEADER.length + roomBytes + END.length);
    this.#view = viewOf(this.#memory);
    this.#at = HEADER.copy(this.#memory);
  }

  /** Begins a row of this many columns. Each column follows with one call. */
  begin(columns: number): void {
    this.#makeRoom(2);
    this.#view.setInt16(this.#at, columns);
    this.#at += 2;
  }

  null(): void {
    this.#makeRoom(4);
    this.#put(-1);
  }

  /** Writes an integer column. */
  int4(value: number | null): void {
    if (value === null) return this.null();
    this.#makeRoom(8);
    this.#put(4);
    this.#put(value);
  }

  /** Writes a bigint column from any safe integer. */
  int8(value: number | null): void {
    if (value === null) return this.null();
    this.#makeRoom(12);
    this.#put(8);
    this.#view.setInt32(this.#at, Math.floor(value / 2 ** 32));
    this.#view.setUint32(this.#at + 4, value >>> 0);
    this.#at += 8;
  }

  /** Writes a timestamptz column. */
  time(date: Date): void {
    this.int8((date.getTime() - EPOCH_MS) * 1_000);
  }

  /** Writes a text column, replacing what PostgreSQL cannot store. */
  text(value: string | undefined): void {
    if (value === undefined) return this.null();
    const text = storableText(value);
    this.#makeRoom(4 + MOST_BYTES_OF_UNIT * text.length);
    const written = this.#memory.write(text, this.#at + 4, 'utf8');
    this.#put(written);
    this.#at += written;
  }

  /** Writes a text or bytea column from bytes of another buffer; text must be storable UTF-8. */
  bytes(source: Uint8Array, from: number, to: number): void {
    const length = to - from;
    this.#makeRoom(4 + length);
    this.#put(length);
    const [memory, at] = [this.#memory, this.#at];
    // Most values are so short that a call to copy them would cost more than the copying.
    if (length > LONG_BYTES) memory.set(source.subarray(from, to), at);
    else for (let index = 0; index < length; index += 1) memory[at + index] = source[from + index]!;
    this.#at = at + length;
  }

  /** Returns how many bytes were written since `take`. */
  size(): number {
    return this.#at - HEADER.length;
  }

  /**
   * Returns the data for a COPY, from header to end mark; undefined when no row was begun.
   * @param memoryOf returns a buffer of that many bytes for the result; by default, a new one is allocated
   */
  take(memoryOf = (bytes: number): Uint8Array => new Uint8Array(bytes)): Uint8Array | undefined {
    if (this.#at === HEADER.length) return undefined;
    const taken = memoryOf(this.#at + END.length);
    taken.set(this.#memory.subarray(0, this.#at));
    taken.set(END, this.#at);
    this.#at = HEADER.length;
    return taken;
  }

  /** Same without copying. Nothing may be written afterward. */
  finish(): Uint8Array | undefined {
    if (this.#at === HEADER.length) return undefined;
    this.#makeRoom(END.length);
    this.#memory.set(END, this.#at);
    return this.#memory.subarray(0, this.#at + END.length);
  }

  #makeRoom(bytes: number): void {
    if (this.#at + bytes <= this.#memory.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.#at + bytes));
    this.#memory.copy(larger, 0, 0, this.#at);
    this.#memory = larger;
    this.#view = viewOf(larger);
  }

  #put(value: number): void {
    this.#view.setInt32(this.#at, value);
    this.#at += 4;
  }
}

/** Returns the data of one COPY from what `take` returned several times, without copying. */
export function joinTuples(pieces: readonly Uint8Array[]): Uint8Array[] {
  return pieces.map((piece, place) =>
    piece.subarray(place === 0 ? 0 : HEADER.length, piece.length - (place === pieces.length - 1 ? 0 : END.length)),
  );
}

/** Returns the rows in what `take` returned, without header and end mark. */
export function rowsOfTuples(tuples: Uint8Array): Uint8Array {
  return tuples.subarray(HEADER.length, tuples.length - END.length);
}

const FIRST_BYTES = 8_192;

/** UTF-8 needs at most three bytes for each UTF-16 unit. */
const MOST_BYTES_OF_UNIT = 3;

const LONG_BYTES = 64;

/** PostgreSQL counts time from this moment. */
const EPOCH_MS = Date.UTC(2000, 0, 1);

/** Signature, no flags, no extension. */
const HEADER = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const END = Buffer.from([0xff, 0xff]);

function viewOf(memory: Buffer): DataView {
  return new DataView(memory.buffer, memory.byteOffset, memory.byteLength);
}
