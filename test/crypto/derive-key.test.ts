import { describe, expect, it } from 'vitest';
import { deriveKey } from '../../src/crypto/derive-key.ts';

const KEY = Buffer.alloc(32, 7);

describe('deriveKey', () => {
  it('gives the same 32 bytes for the same key, use and salt', () => {
    expect(deriveKey(KEY, ['a'], Buffer.from('s'))).toHaveLength(32);
    expect(deriveKey(KEY, ['a'], Buffer.from('s'))).toEqual(deriveKey(KEY, ['a'], Buffer.from('s')));
  });

  it('stays as it is, so that what was sealed by an older release still opens', () => {
    expect(deriveKey(KEY, ['wrap key']).toString('hex')).toBe(
      'e42f337fd5662e8824cd0d37c6034b7a6ea7899ebaf4bcbfee2562871c7b306e',
    );
  });

  it.each([
    ['another key', () => deriveKey(Buffer.alloc(32, 8), ['a', 'b'])],
    ['another use', () => deriveKey(KEY, ['a', 'c'])],
    ['a use cut elsewhere', () => deriveKey(KEY, ['ab'])],
    ['a salt', () => deriveKey(KEY, ['a', 'b'], Buffer.from('s'))],
  ])('gives other bytes for %s', (_, derive) => {
    expect(derive()).not.toEqual(deriveKey(KEY, ['a', 'b']));
  });
});
