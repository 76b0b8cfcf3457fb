import { handClock } from '../../../src/kernel/clock.ts';
import { askServiceTime } from '../../../workers/intake/find-earlier-payments.ts';
import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Fault, PaymentRow } from '../../../src/rows/rows.ts';
import { likeRows, fingerprintRuns, rowFingerprinter } from '../../../workers/intake/fingerprint-row.ts';
import { writeFingerprint } from '../../../src/ledger/copy/row-tuples.ts';
import { TupleWriter } from '../../../src/ledger/copy/tuple-writer.ts';
import { FINGERPRINT_BYTES } from '../../../src/crypto/fingerprints/row-fingerprint.ts';

const bound = (agentMark: string) => ({ merchantNo: 1, country: 'US', currency: 'USD', mark: '', agentMark }) as const;
const APP = {
  ledger: {
    bound: new Map([
      ['main', bound('main')],
      ['other', bound('other')],
    ]),
  },
  fingerprint: (parts: readonly string[]) => createHash('sha256').update(parts.join('|')).digest().subarray(0, 16),
};
const FILE = { account: 'main', operation: 'card' } as const;
const PAYMENT = {
  line: 3,
  invoice: 'INV',
  customerCode: '',
  amountCents: -2_500,
  number: '4222222222222220',
  canonical: ['INV', 'and more'],
};

const fingerprintOf = (changes: Partial<PaymentRow> = {}, file: Parameters<typeof rowFingerprinter>[1] = FILE) =>
  rowFingerprinter(
    APP as unknown as Parameters<typeof rowFingerprinter>[0],
    file,
  )({ ...PAYMENT, ...changes }).toString('hex');

describe('rowFingerprinter', () => {
  it('knows a payment again, wherever in its file it stands and whatever else its row says', () => {
    expect(fingerprintOf({ line: 9, canonical: [] })).toBe(fingerprintOf());
    expect(fingerprintOf({ customerCode: 'A1' })).toBe(fingerprintOf());
  });

  it.each([
    ['invoice', { invoice: 'INV2' }],
    ['amount', { amountCents: 2_500 }],
    ['number', { number: '4222222222222221' }],
    ['customer code', { number: '', customerCode: 'A1' }],
    ['boundary between invoice and number', { invoice: 'INV4', number: '222222222222220' }],
  ])('tells payments apart by their %s', (_what, changes) => {
    expect(fingerprintOf(changes)).not.toBe(fingerprintOf());
  });

  it('tells accounts apart, and charges and refunds', () => {
    expect(fingerprintOf({}, { ...FILE, account: 'other' })).not.toBe(fingerprintOf());
    expect(fingerprintOf({}, { ...FILE, operation: 'ach-refund' })).not.toBe(fingerprintOf());
  });

  it('knows a payer of a code again in every operation that charges', () => {
    const byCode = { number: '', customerCode: 'A1' };
    expect(fingerprintOf(byCode, { ...FILE, operation: 'ach-charge' })).toBe(fingerprintOf(byCode));
  });
});

/** Returns a fingerprint of these two halves. */
function print(invoice: number, payer: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32BE(invoice, 0);
  bytes.writeUInt32BE(payer, 4);
  return bytes;
}

function find(fingerprints: readonly [line: number, print: Buffer][], faults: readonly Fault[] = []) {
  const { findFault, flagged } = likeRows();
  const found = fingerprints.flatMap(([line, bytes]) => findFault(bytes, 0, line, faults) ?? []);
  return { found, flagged: flagged() };
}

describe('likeRows', () => {
  it('names for each row the first that is like it', () => {
    const { found, flagged } = find([
      [2, print(1, 1)],
      [3, print(1, 2)],
      [4, print(1, 1)],
      [5, print(2, 1)],
      [6, print(1, 1)],
    ]);
    expect(found).toEqual([
      { code: 'LIKE_ROW', line: 4, detail: 'line 2 of this file' },
      { code: 'LIKE_ROW', line: 6, detail: 'line 2 of this file' },
    ]);
    expect(flagged).toEqual([{ code: 'LIKE_ROW', rows: 2, detail: 'line 2 of this file' }]);
  });

  it('names a row once that has two fingerprints, and not as like itself', () => {
    const both = [print(1, 1), print(2, 2)] as const;
    const { found } = find([
      [2, both[0]],
      [2, both[0]],
      [2, both[1]],
      [3, both[0]],
      [3, both[1]],
    ]);
    expect(found.map(({ line }) => line)).toEqual([3]);
  });

  it('leaves out what the check has found to be the same', () => {
    const rows: [number, Buffer][] = [
      [2, print(1, 1)],
      [3, print(1, 1)],
    ];
    expect(find(rows, [{ code: 'DUPLICATE_ROW', line: 3 }])).toEqual({ found: [], flagged: [] });
    expect(find(rows, [{ code: 'TEXT_REPLACED', line: 3 }]).found).toHaveLength(1);
  });
});

const OF = { fileNo: 7, volume: 3 };
const PIECE_ROWS = 16_384;

type Row = { print: Buffer; line: number };

const someRows = (count: number): Row[] =>
  Array.from({ length: count }, (_, index) => ({ print: randomBytes(FINGERPRINT_BYTES), line: index + 1 }));

/** Sorts by the first four bytes, as PostgreSQL orders numbers. Equal ones keep their order. */
const sorted = (rows: readonly Row[]) => rows.toSorted((a, b) => a.print.readInt32BE() - b.print.readInt32BE());

function tuplesOf(rows: readonly Row[]): Uint8Array {
  const to = new TupleWriter();
  for (const { print, line } of rows) writeFingerprint(to, OF, line, print, 0);
  return to.take()!;
}

function addAll(runs: ReturnType<typeof fingerprintRuns>, rows: readonly Row[]): void {
  for (const { print, line } of rows) {
    const bytes = Buffer.concat([randomBytes(16), print]);
    runs.add(bytes, 16, line);
  }
}

describe('fingerprintRuns', () => {
  it('gives every print out once, in pieces, in the order of the fingerprints', () => {
    const runs = fingerprintRuns(OF);
    const rows = someRows(PIECE_ROWS + 5_000);
    addAll(runs, rows);
    const pieces = [...runs.take()];
    const wanted = [tuplesOf(sorted(rows).slice(0, PIECE_ROWS)), tuplesOf(sorted(rows).slice(PIECE_ROWS))];
    // Compared as bytes, because `toEqual` checks each of a million numbers separately.
    expect(pieces.map((piece) => piece.length)).toEqual(wanted.map((piece) => piece.length));
    expect(Buffer.concat(pieces).equals(Buffer.concat(wanted))).toBe(true);
    expect([...runs.take()]).toEqual([]);
  });

  it('begins anew after each run, which may have grown beyond its size', () => {
    const runs = fingerprintRuns(OF, 100);
    for (const count of [99, 100, 150, 3, 0]) {
      const rows = someRows(count);
      addAll(runs, rows);
      expect(runs.isFull()).toBe(count >= 100);
      expect([...runs.take()]).toEqual(count === 0 ? [] : [tuplesOf(sorted(rows))]);
      expect(runs.isFull()).toBe(false);
    }
  });

  it('keeps apart fingerprints that begin alike, and the smallest and the largest that there are', () => {
    const runs = fingerprintRuns(OF);
    const fingerprints = [
      '7fffffffffffffff',
      '8000000000000000',
      'ffffffffffffffff',
      '0000000000000000',
      '0000000000000001',
    ];
    const rows = fingerprints.map((print, index) => ({ print: Buffer.from(print, 'hex'), line: index + 1 }));
    addAll(runs, rows);
    expect([...runs.take()]).toEqual([tuplesOf([rows[1]!, rows[2]!, rows[3]!, rows[4]!, rows[0]!])]);
  });
});

const NOON = Date.parse('2026-06-15T12:00:00Z');

it('askServiceTime asks once a minute for all accounts of a service, also when it gets no answer', async () => {
  const clock = handClock(new Date(NOON));
  let asked = 0;
  let offsetMs: number | undefined = 3_000;
  const askTime = async () => {
    asked += 1;
    return offsetMs === undefined ? undefined : new Date(clock.now().getTime() + offsetMs);
  };
  const account = (name: string) => ({ server: 'NA', baseUrl: name === 'c' ? 'https://other.test' : undefined });
  // Other ledgers are other processes.
  const app = { ledger: {}, clock, askTime, account } as unknown as Parameters<typeof askServiceTime>[0];
  const ask = async (...names: string[]) => Promise.all(names.map((name) => askServiceTime(app, name)));
  const later = (ms: number) => new Date(NOON + ms);
  expect([...(await ask('a', 'b')), asked]).toEqual([later(3_000), later(3_000), 1]);
  clock.advance(59_999);
  expect([...(await ask('b')), asked]).toEqual([later(62_999), 1]);
  expect([...(await ask('c')), asked]).toEqual([later(62_999), 2]);
  offsetMs = undefined;
  clock.advance(1);
  expect([...(await ask('a')), ...(await ask('b')), asked]).toEqual([undefined, undefined, 3]);
  clock.advance(-1);
  await ask('a');
  expect(asked).toBe(4);
});
