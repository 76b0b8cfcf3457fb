import { storableText } from '../engine/storable-text.ts';

/**
 * Encodes rows for PostgreSQL's binary COPY: the number of columns per row, then the length and bytes of each column.
 * Everything goes into one buffer, so a million rows create no objects or strings of their own.
 */
export type TupleWriter = {
  /** Begins a row of this many columns. Each column follows with one call. */
  begin(columns: number): void;
  null(): void;
  /** Writes an integer column. */
  int4(value: number): void;
  /** Writes a bigint column from any safe integer. */
  int8(value: number): void;
  /** Writes a timestamptz column. */
  time(at: Date): void;
  /** Writes a text column, replacing what PostgreSQL cannot store. */
  text(value: string): void;
  /** Writes a text or bytea column from bytes of another buffer; text must be storable UTF-8. */
  bytes(source: Uint8Array, from: number, to: number): void;
  /** Returns how many bytes were written since `take`. */
  size(): number;
  /**
   * Returns the data for a COPY, from header to end mark; undefined when no row was begun.
   * @param memory returns a buffer of that many bytes for the result; by default, a new one is allocated
   */
  take(memory?: (bytes: number) => Uint8Array): Uint8Array | undefined;
  /** Same without copying. Nothing may be written afterward. */
  finish(): Uint8Array | undefined;
};

/** @param roomBytes size of the rows, when known; a buffer that grows is copied each time */
export function tupleWriter(roomBytes = FIRST_BYTES): TupleWriter {
  let memory = Buffer.allocUnsafe(HEADER.length + roomBytes + END.length);
  let view = viewOf(memory);
  let at = writeHeader(memory);

  const makeRoom = (bytes: number) => {
    if (at + bytes <= memory.length) return;
    const larger = Buffer.allocUnsafe(2 * (at + bytes));
    memory.copy(larger, 0, 0, at);
    memory = larger;
    view = viewOf(memory);
  };
  const int4 = (value: number) => {
    view.setInt32(at, value);
    at += 4;
  };

  return {
    begin: (columns) => {
      makeRoom(2);
      view.setInt16(at, columns);
      at += 2;
    },
    null: () => {
      makeRoom(4);
      int4(-1);
    },
    int4: (value) => {
      makeRoom(8);
      int4(4);
      int4(value);
    },
    int8,
    time: (date) => int8((date.getTime() - EPOCH_MS) * 1_000),
    text: (value) => {
      const text = storableText(value);
      makeRoom(4 + MOST_BYTES_OF_UNIT * text.length);
      const written = memory.write(text, at + 4, 'utf8');
      int4(written);
      at += written;
    },
    bytes: (source, from, to) => {
      const length = to - from;
      makeRoom(4 + length);
      int4(length);
      // Most values are so short that a call to copy them would cost more than the copying.
      if (length > LONG_BYTES) memory.set(source.subarray(from, to), at);
      else for (let index = 0; index < length; index += 1) memory[at + index] = source[from + index]!;
      at += length;
    },
    size: () => at - HEADER.length,
    take: (memoryOf = (bytes) => new Uint8Array(bytes)) => {
      if (at === HEADER.length) return undefined;
      const taken = memoryOf(at + END.length);
      taken.set(memory.subarray(0, at));
      taken.set(END, at);
      at = HEADER.length;
      return taken;
    },
    finish: () => {
      if (at === HEADER.length) return undefined;
      makeRoom(END.length);
      memory.set(END, at);
      return memory.subarray(0, at + END.length);
    },
  };

  function int8(value: number): void {
    makeRoom(12);
    int4(8);
    view.setInt32(at, Math.floor(value / 2 ** 32));
    view.setUint32(at + 4, value >>> 0);
    at += 8;
  }
}

const FIRST_BYTES = 65_536;

/** UTF-8 needs at most three bytes for each UTF-16 unit. */
const MOST_BYTES_OF_UNIT = 3;

const LONG_BYTES = 64;

/** PostgreSQL counts time from this moment. */
const EPOCH_MS = Date.UTC(2000, 0, 1);

/** Signature, no flags, no extension. */
const HEADER = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const END = Buffer.from([0xff, 0xff]);

function writeHeader(memory: Buffer): number {
  return HEADER.copy(memory);
}

function viewOf(memory: Buffer): DataView {
  return new DataView(memory.buffer, memory.byteOffset, memory.byteLength);
}
