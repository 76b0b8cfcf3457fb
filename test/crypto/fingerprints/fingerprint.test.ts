import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  newFingerprintKey,
  openFingerprinter,
  rewrapFingerprintKey,
} from '../../../src/crypto/fingerprints/fingerprint.ts';
import { wrapKey } from '../../../src/crypto/data-key.ts';
import { masterKeyOf } from '../../support/load-master-key.ts';

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
