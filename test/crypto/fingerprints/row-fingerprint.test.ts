import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  newFingerprintKey,
  openFingerprinter,
  rewrapFingerprintKey,
} from '../../../src/crypto/fingerprints/fingerprint.ts';
import {
  keyFor,
  RowFingerprints,
  type PayerKind,
  FINGERPRINT_BYTES,
  fingerprintKey,
} from '../../../src/crypto/fingerprints/row-fingerprint.ts';
import { loadMasterKey, masterKeyOf } from '../../support/openpgp.ts';
import { hashKeyOf, RowSet, rowSetKey } from '../../../src/crypto/fingerprints/row-set.ts';
import { wrapKey } from '../../../src/crypto/data-key.ts';

describe('row print', () => {
  const MASTER = masterKeyOf(1);

  function fingerprintOf(
    invoice: string,
    payer: string,
    cents: number,
    kind: PayerKind = 'customerCode',
    seed = 1,
  ): string {
    const bytes = Buffer.from(`<${payer}|${invoice}>`);
    const gap = 1 + Buffer.byteLength(payer);
    const made = new RowFingerprints(Buffer.alloc(32, seed));
    made.add(bytes, gap + 1, bytes.length - 1, 1, gap, cents, kind);
    return made.take().toString('hex');
  }

  /** Returns the half that does not depend on the payer. */
  const halfOf = (...payment: Parameters<typeof fingerprintOf>) =>
    fingerprintOf(...payment).slice(0, FINGERPRINT_BYTES);

  describe('RowFingerprints', () => {
    it('gives the same from one release to the next', () => {
      expect(fingerprintOf('INV-7', '4222222222222220', 2_500, 'cardNumber')).toBe('1b533058651f20ab');
    });

    it('gives others under another key', () => {
      expect(fingerprintOf('a', 'b', 1, 'customerCode', 2)).not.toBe(fingerprintOf('a', 'b', 1));
    });

    it('makes of many payments at once what it makes of each, and then begins anew', () => {
      const made = new RowFingerprints(Buffer.alloc(32, 1));
      for (const rows of [100, 3]) {
        for (let cents = 1; cents <= rows; cents += 1) made.add(Buffer.from('ab'), 0, 1, 1, 2, cents, 'cardNumber');
        const fingerprints = made.take();
        expect(fingerprints.length).toBe(rows * FINGERPRINT_BYTES);
        for (let cents = 1; cents <= rows; cents += 1) {
          const print = fingerprints.subarray((cents - 1) * FINGERPRINT_BYTES, cents * FINGERPRINT_BYTES);
          expect(print.toString('hex')).toBe(fingerprintOf('a', 'b', cents, 'cardNumber'));
        }
      }
    });

    it('differs exactly when invoice, payer or cents differ', () => {
      const some = fc.tuple(
        fc.string({ unit: fc.constantFrom('a', '1'), maxLength: 3 }),
        fc.string({ unit: fc.constantFrom('a', '1'), maxLength: 3 }),
        fc.constantFrom(1, -1, 256, 2 ** 40),
      );
      fc.assert(
        fc.property(some, some, (one, other) => {
          expect(fingerprintOf(...one) === fingerprintOf(...other)).toBe(JSON.stringify(one) === JSON.stringify(other));
        }),
      );
    });

    it.each([
      ['DUP-00001', 'dup-00001'],
      ['DUP-00001', 'dup 1'],
      ['0001', '1'],
      ['INV/12', 'inv12'],
    ])('is the same for the invoices %s and %s', (one, other) => {
      expect(fingerprintOf(one, 'A1', 100)).toBe(fingerprintOf(other, 'A1', 100));
      expect(fingerprintOf(one, 'A1', 100)).not.toBe(fingerprintOf(other, 'A1', 200));
      expect(fingerprintOf(one, 'A1', 100)).not.toBe(fingerprintOf(other, 'A2', 100));
    });

    it('is the same for a padded account number, and for no other', () => {
      const padded = fingerprintOf('a', '02100002100000000040000001', 1, 'accountNumber');
      expect(fingerprintOf('a', '02100002140000001', 1, 'accountNumber')).toBe(padded);
      expect(fingerprintOf('a', '02100002140000010', 1, 'accountNumber')).not.toBe(padded);
    });

    it('has one more print for what a spreadsheet writes in another way, which both ways have', () => {
      const fingerprintsOf = (invoice: string, payer: string, kind: PayerKind) => {
        const bytes = Buffer.from(invoice + payer);
        const payment = [bytes, 0, invoice.length, invoice.length, bytes.length, 1, kind] as const;
        const fingerprinter = new RowFingerprints(Buffer.alloc(32, 1));
        fingerprinter.add(...payment);
        const more = fingerprinter.addTurned(...payment);
        const fingerprints = fingerprinter.take();
        expect(fingerprints.length).toBe((1 + more) * FINGERPRINT_BYTES);
        return Array.from({ length: 1 + more }, (_, at) =>
          fingerprints.toString('hex', at * FINGERPRINT_BYTES, (at + 1) * FINGERPRINT_BYTES),
        );
      };
      expect(fingerprintsOf('1.50', 'A1', 'customerCode')[1]).toBe(fingerprintsOf('1.5', 'A1', 'customerCode')[0]);
      expect(fingerprintsOf('1.50', '12E4', 'customerCode')[1]).toBe(
        fingerprintsOf('1.5', '120000', 'customerCode')[0],
      );
      expect(fingerprintsOf('11/20/2026', '4', 'cardNumber')[1]).toBe(
        fingerprintsOf('2026-11-20', '4', 'cardNumber')[1],
      );
      expect(fingerprintsOf('INV-0012', '1234567890123456', 'cardNumber')).toHaveLength(1);
      expect(fingerprintsOf('1-0012', '12-05', 'customerCode')[1]).toBe(
        fingerprintsOf('10012', '12-05', 'customerCode')[1],
      );
      expect(fingerprintsOf('1.001', 'A1', 'customerCode')).toContain(fingerprintsOf('1001', 'A1', 'customerCode')[0]);
      expect(fingerprintsOf('1.100', 'A1', 'customerCode')).toHaveLength(2);
      expect(fingerprintsOf('1.0500', 'A1', 'customerCode')).toHaveLength(3);
    });

    it('has one half for payers of every kind, and tells the kinds apart', () => {
      const payments: Parameters<typeof fingerprintOf>[] = [
        ['a', 'A1', 1],
        ['a', '4222222222222220', 1, 'cardNumber'],
        ['a', '02100002140000001', 1, 'accountNumber'],
      ];
      expect(new Set(payments.map((payment) => halfOf(...payment))).size).toBe(1);
      const kinds = payments.map((payment) => Number.parseInt(fingerprintOf(...payment)[FINGERPRINT_BYTES]!, 16) >> 2);
      expect(kinds).toEqual([0, 1, 2]);
      expect(halfOf('b', 'A1', 1)).not.toBe(halfOf('a', 'A1', 1));
      expect(halfOf('a', 'A1', 2)).not.toBe(halfOf('a', 'A1', 1));
    });
  });

  describe('fingerprintKey', () => {
    const fingerprint = openFingerprinter(MASTER, newFingerprintKey(MASTER));

    it('is one of 32 bytes for each account, and for what it is paid and what it pays', () => {
      const keys = [
        fingerprintKey(fingerprint, 'a', 'card'),
        fingerprintKey(fingerprint, 'b', 'card'),
        fingerprintKey(fingerprint, 'a', 'ach-refund'),
        keyFor(fingerprint, ['other']),
      ].map((key) => key.toString('hex'));
      expect(new Set(keys).size).toBe(4);
      expect(keys.every((key) => key.length === 64 && key.slice(0, 32) !== key.slice(32))).toBe(true);
      expect(fingerprintKey(fingerprint, 'a', 'ach-charge').toString('hex')).toBe(keys[0]);
    });
  });
});

describe('row set', () => {
  const MASTER = loadMasterKey({
    file: '/nowhere',
    env: { PAYDROP_MASTER_KEY: Buffer.alloc(32, 1).toString('base64') },
  });

  function setOf(seed = 3): RowSet {
    return new RowSet(
      rowSetKey(openFingerprinter(MASTER, wrapKey(MASTER, 'the fingerprints', Buffer.alloc(32, seed)))),
    );
  }

  /** Adds a row that lies within other bytes. */
  function add(set: RowSet, row: string): void {
    const bytes = Buffer.from(`before${row}behind`);
    set.add(bytes, 6, bytes.length - 6);
  }

  function markOf(rows: readonly string[], seed = 3): string | null {
    const set = setOf(seed);
    for (const row of rows) add(set, row);
    return set.mark();
  }

  describe('RowSet', () => {
    it('marks rows in 32 hex digits, and no rows by null', () => {
      expect(markOf(['INV-1,A1,25.00,'])).toMatch(/^[0-9a-f]{32}$/);
      expect(markOf([])).toBeNull();
    });

    it('gives the same from one release to the next', () => {
      expect(markOf(['INV-1,A1,25.00,', 'INV-2,A2,30.00,June'])).toBe('f09124512da2462a69e301fb31bc6151');
    });

    it('gives others under another key', () => {
      expect(markOf(['a'], 4)).not.toBe(markOf(['a'], 3));
    });

    it('is the same exactly for the same rows, as often as they stand, in any order', () => {
      const someRows = fc.array(fc.constantFrom('a', 'b', 'c', 'ab'), { minLength: 1, maxLength: 5 });
      fc.assert(
        fc.property(someRows, someRows, (one, other) => {
          const isSame = one.toSorted().join() === other.toSorted().join();
          expect(markOf(one) === markOf(other)).toBe(isSame);
        }),
      );
    });

    it('is not fooled by two equal rows, which would cancel each other in an XOR', () => {
      expect(markOf(['a', 'b', 'b'])).not.toBe(markOf(['a']));
      expect(markOf(['b', 'b'])).not.toBe(markOf(['c', 'c']));
    });

    it('may be asked in between', () => {
      const set = setOf();
      add(set, 'a');
      expect(set.mark()).toBe(markOf(['a']));
      add(set, 'b');
      expect(set.mark()).toBe(markOf(['b', 'a']));
    });
  });

  it('hashKeyOf makes two words that are the same for the same key', () => {
    const keyOf = (seed: number) => [...hashKeyOf(Buffer.alloc(32, seed))];
    expect(keyOf(1)).toEqual(keyOf(1));
    expect(keyOf(1)).toHaveLength(2);
    expect(new Set([...keyOf(1), ...keyOf(2)]).size).toBe(4);
  });
});

const MASTER = masterKeyOf(1);
const OTHER = masterKeyOf(2);
const PARTS = ['na', 'ach-charge', 'INV-7', '2500', '02100002100000000000000001'];

describe('openFingerprinter', () => {
  const fingerprint = openFingerprinter(MASTER, newFingerprintKey(MASTER));

  it('gives 16 bytes, the same for the same parts', () => {
    expect(fingerprint(PARTS)).toHaveLength(16);
    expect(fingerprint(PARTS)).toEqual(fingerprint([...PARTS]));
  });

  it('gives the same after the key was opened again, as after a restart', () => {
    const wrapped = newFingerprintKey(MASTER);
    expect(openFingerprinter(MASTER, wrapped)(PARTS)).toEqual(openFingerprinter(MASTER, wrapped)(PARTS));
  });

  it('gives the same from one release to the next', () => {
    const known = openFingerprinter(MASTER, wrapKey(MASTER, 'the fingerprints', Buffer.alloc(32, 3)));
    expect(known(['INV-7', '2500']).toString('hex')).toBe('4dc52fcd43868996c1698886bf6439b8');
  });

  it('gives others under another key', () => {
    expect(openFingerprinter(MASTER, newFingerprintKey(MASTER))(PARTS)).not.toEqual(fingerprint(PARTS));
  });

  it('tells apart parts that join to the same text', () => {
    expect(fingerprint(['a', 'bc'])).not.toEqual(fingerprint(['ab', 'c']));
    expect(fingerprint(['abc'])).not.toEqual(fingerprint(['abc', '']));
    expect(fingerprint([])).not.toEqual(fingerprint(['']));
  });

  it('differs exactly when the parts differ', () => {
    const someParts = fc.array(fc.string({ maxLength: 3, unit: fc.constantFrom('a', 'b', '0') }), { maxLength: 4 });
    fc.assert(
      fc.property(someParts, someParts, (one, other) => {
        const isSame = JSON.stringify(one) === JSON.stringify(other);
        expect(fingerprint(one).equals(fingerprint(other))).toBe(isSame);
      }),
    );
  });

  it('refuses a key of another master key, and an altered one', () => {
    const wrapped = newFingerprintKey(MASTER);
    expect(() => openFingerprinter(OTHER, wrapped)).toThrow(expect.objectContaining({ code: 'MASTER_KEY_WRONG' }));
    wrapped[67] = (wrapped[67] ?? 0) ^ 1;
    expect(() => openFingerprinter(MASTER, wrapped)).toThrow(expect.objectContaining({ code: 'SEAL_BROKEN' }));
  });
});

describe('rewrapFingerprintKey', () => {
  it('leaves every fingerprint as it was', () => {
    const wrapped = newFingerprintKey(MASTER);
    const moved = rewrapFingerprintKey(MASTER, OTHER, wrapped);
    expect(openFingerprinter(OTHER, moved)(PARTS)).toEqual(openFingerprinter(MASTER, wrapped)(PARTS));
  });
});
