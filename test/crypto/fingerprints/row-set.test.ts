import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openFingerprinter } from '../../../src/crypto/fingerprints/fingerprint.ts';
import { hashKeyOf, openRowSet, type RowSet, rowSetKey } from '../../../src/crypto/fingerprints/row-set.ts';
import { wrapKey } from '../../../src/crypto/data-key.ts';
import { loadMasterKey } from '../../support/load-master-key.ts';

const MASTER = loadMasterKey({
  file: '/nowhere',
  env: { PAYDROP_MASTER_KEY: Buffer.alloc(32, 1).toString('base64') },
});

function setOf(seed = 3): RowSet {
  return openRowSet(rowSetKey(openFingerprinter(MASTER, wrapKey(MASTER, 'the fingerprints', Buffer.alloc(32, seed)))));
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

describe('openRowSet', () => {
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
