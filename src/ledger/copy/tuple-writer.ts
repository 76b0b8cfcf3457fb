import { storableText } from '../engine/storable-text.ts';

export type TupleWriter = ReturnType<typeof tupleWriter>;

/**
 * Encodes rows for PostgreSQL's binary COPY: the number of columns per row, then the length and bytes of each column.
 * Everything goes into one buffer, so a million rows create no objects or strings of their own.
 * @param roomBytes size of the rows, when known; a buffer that grows is copied each time
 */
export function tupleWriter(roomBytes = FIRST_BYTES) {
  let memory = Buffer.allocUnsafe(HEADER.length + roomBytes + END.length);
  let view = viewOf(memory);
  let at = HEADER.copy(memory);

  const makeRoom = (bytes: number) => {
    if (at + bytes <= memory.length) return;
    const larger = Buffer.allocUnsafe(2 * (at + bytes));
    memory.copy(larger, 0, 0, at);
    memory = larger;
    view = viewOf(memory);
  };
  const put = (value: number) => {
    view.setInt32(at, value);
    at += 4;
  };
  const putNull = () => {
    makeRoom(4);
    put(-1);
  };
  const int8 = (value: number | null) => {
    if (value === null) return putNull();
    makeRoom(12);
    put(8);
    view.setInt32(at, Math.floor(value / 2 ** 32));
    view.setUint32(at + 4, value >>> 0);
    at += 8;
  };

  return {
    /** Begins a row of this many columns. Each column follows with one call. */
    begin: (columns: number) => {
      makeRoom(2);
      view.setInt16(at, columns);
      at += 2;
    },
    null: putNull,
    /** Writes an integer column. */
    int4: (value: number | null) => {
      if (value === null) return putNull();
      makeRoom(8);
      put(4);
      put(value);
    },
    /** Writes a bigint column from any safe integer. */
    int8,
    /** Writes a timestamptz column. */
    time: (date: Date) => int8((date.getTime() - EPOCH_MS) * 1_000),
    /** Writes a text column, replacing what PostgreSQL cannot store. */
    text: (value: string | undefined) => {
      if (value === undefined) return putNull();
      const text = storableText(value);
      makeRoom(4 + MOST_BYTES_OF_UNIT * text.length);
      const written = memory.write(text, at + 4, 'utf8');
      put(written);
      at += written;
    },
    /** Writes a text or bytea column from bytes of another buffer; text must be storable UTF-8. */
    bytes: (source: Uint8Array, from: number, to: number) => {
      const length = to - from;
      makeRoom(4 + length);
      put(length);
      // Most values are so short that a call to copy them would cost more than the copying.
      if (length > LONG_BYTES) memory.set(source.subarray(from, to), at);
      else for (let index = 0; index < length; index += 1) memory[at + index] = source[from + index]!;
      at += length;
    },
    /** Returns how many bytes were written since `take`. */
    size: () => at - HEADER.length,
    /**
     * Returns the data for a COPY, from header to end mark; undefined when no row was begun.
     * @param memoryOf returns a buffer of that many bytes for the result; by default, a new one is allocated
     */
    take: (memoryOf = (bytes: number): Uint8Array => new Uint8Array(bytes)): Uint8Array | undefined => {
      if (at === HEADER.length) return undefined;
      const taken = memoryOf(at + END.length);
      taken.set(memory.subarray(0, at));
      taken.set(END, at);
      at = HEADER.length;
      return taken;
    },
    /** Same without copying. Nothing may be written afterward. */
    finish: (): Uint8Array | undefined => {
      if (at === HEADER.length) return undefined;
      makeRoom(END.length);
      memory.set(END, at);
      return memory.subarray(0, at + END.length);
    },
  };
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
