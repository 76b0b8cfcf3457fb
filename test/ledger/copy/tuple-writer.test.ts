import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NULL_CELL, tupleReader } from '../../../src/ledger/copy/copy-out.ts';
import { TupleWriter } from '../../../src/ledger/copy/tuple-writer.ts';

type Write = (to: TupleWriter) => void;

const HEADER = '5047434f50590aff0d0a000000000000000000';
const END = 'ffff';

const hexOf = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString('hex');

/** Returns one written column: its length and its bytes. */
function columnOf(write: Write): string {
  const to = new TupleWriter();
  to.begin(1);
  write(to);
  return hexOf(to.take())!.slice(`${HEADER}0001`.length, -END.length);
}

describe('TupleWriter', () => {
  it.each<[string, Write, string]>([
    ['nothing', (to) => to.null(), 'ffffffff'],
    ['an integer', (to) => to.int4(-2), '00000004fffffffe'],
    ['a small number of 8 bytes', (to) => to.int8(1), '000000080000000000000001'],
    ['a negative one', (to) => to.int8(-1), '00000008ffffffffffffffff'],
    ['one of more than 32 bits', (to) => to.int8(2 ** 32 + 5), '000000080000000100000005'],
    ['the largest that is exact', (to) => to.int8(Number.MAX_SAFE_INTEGER), '00000008001fffffffffffff'],
    ['the least', (to) => to.int8(Number.MIN_SAFE_INTEGER), '00000008ffe0000000000001'],
    ['the moment from which PostgreSQL counts', (to) => to.time(new Date('2000-01-01')), `00000008${'00'.repeat(8)}`],
    ['a millisecond later', (to) => to.time(new Date('2000-01-01T00:00:00.001Z')), '0000000800000000000003e8'],
    ['a text', (to) => to.text('aß'), '0000000361c39f'],
    ['no text', (to) => to.text(''), '00000000'],
    ['what cannot be kept', (to) => to.text('\0\ud800'), '00000006efbfbdefbfbd'],
    ['bytes out of others', (to) => to.bytes(Buffer.from('abcd'), 1, 3), '000000026263'],
  ])('writes %s', (_what, write, hex) => {
    expect(columnOf(write)).toBe(hex);
  });

  it('puts rows between header and end mark, and begins anew when they were taken', () => {
    const to = new TupleWriter();
    for (const value of [1, 2]) {
      to.begin(1);
      to.int4(value);
    }
    const rows = '0001000000040000000100010000000400000002';
    expect(to.size()).toBe(rows.length / 2);
    expect(hexOf(to.take())).toBe(HEADER + rows + END);
    expect(to.size()).toBe(0);
    expect(to.take()).toBeUndefined();
  });

  it('gives memory of its own, which the next rows do not touch', () => {
    const to = new TupleWriter();
    to.begin(1);
    to.int4(1);
    const first = to.take()!;
    const before = hexOf(first);
    to.begin(1);
    to.int4(2);
    expect(hexOf(first)).toBe(before);
    expect(first.byteLength).toBe(first.buffer.byteLength);
  });

  it('ends with what it would give as a copy, or with nothing', () => {
    for (const room of [undefined, 0, 10, 24]) {
      const [one, other] = [new TupleWriter(room), new TupleWriter()];
      expect(one.finish()).toBeUndefined();
      for (const to of [one, other]) {
        to.begin(2);
        to.int8(5);
        to.text('né');
      }
      expect(hexOf(one.finish())).toBe(hexOf(other.take()));
    }
  });

  it('grows with what it is given, wherever the end of its memory falls', () => {
    const long = Buffer.alloc(100_000, 'x');
    for (const before of [65_500, 65_510, 65_516]) {
      const to = new TupleWriter();
      to.begin(3);
      to.bytes(long, 0, before);
      to.text('é'.repeat(40_000));
      to.int8(7);
      const taken = Buffer.from(to.take()!);
      expect(taken.length).toBe(HEADER.length / 2 + 2 + 4 + before + 4 + 80_000 + 12 + 2);
      expect(taken.subarray(-14).toString('hex')).toBe(`000000080000000000000007${END}`);
    }
  });
});

type Row = readonly (string | null)[];

function written(rows: readonly Row[]): Buffer {
  const to = new TupleWriter();
  for (const row of rows) {
    to.begin(row.length);
    for (const cell of row) to.text(cell ?? undefined);
  }
  return Buffer.from(to.take() ?? EMPTY);
}

/** A COPY without rows: header and end mark. */
const EMPTY = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0\xff\xff', 'latin1');

/** Reads rows from pieces of `pieceBytes` bytes. */
function readIn(bytes: Buffer, columns: number, pieceBytes: number): Row[] {
  const rows: Row[] = [];
  const add = tupleReader(columns, (found, cells) => {
    const cellAt = (cell: number) =>
      cells[2 * cell + 1] === NULL_CELL ? null : found.toString('utf8', cells[2 * cell], cells[2 * cell + 1]);
    rows.push(Array.from({ length: columns }, (_, cell) => cellAt(cell)));
  });
  for (let at = 0; at < bytes.length; at += pieceBytes) add(bytes.subarray(at, at + pieceBytes));
  return rows;
}

describe('tupleReader', () => {
  it('reads what TupleWriter writes, however it is cut', () => {
    const row = fc.tuple(fc.option(fc.string({ unit: 'grapheme', maxLength: 9 })), fc.constantFrom('', 'a', 'é', null));
    fc.assert(
      fc.property(fc.array(row, { maxLength: 8 }), fc.integer({ min: 1, max: 70 }), (rows, pieceBytes) => {
        const kept = rows.map(([one, other]) => [one?.replaceAll('\0', '') ?? null, other]);
        expect(readIn(written(kept), 2, pieceBytes)).toEqual(kept);
      }),
    );
  });

  it('reads a row that is larger than many pieces', () => {
    const long = 'x'.repeat(100_000);
    expect(readIn(written([['a'], [long], ['b']]), 1, 1_000)).toEqual([['a'], [long], ['b']]);
  });

  it('gives no row that is not all there', () => {
    const bytes = written([['abc', 'def']]);
    const whole = bytes.length - 2;
    for (let length = 0; length < whole; length += 1) expect(readIn(bytes.subarray(0, length), 2, 7)).toEqual([]);
    expect(readIn(bytes.subarray(0, whole), 2, 7)).toEqual([['abc', 'def']]);
  });
});
