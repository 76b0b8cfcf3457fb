import { describe, expect, it } from 'vitest';
import { readSessionKey, type SessionKey, toLibrary, writeSessionKey } from '../../src/pgp/load-openpgp.ts';

const DATA = new Uint8Array([0, 1, 254, 255]);

describe('writeSessionKey and readSessionKey', () => {
  it.each<SessionKey>([
    { algorithm: 'aes256', data: DATA },
    { algorithm: null, data: DATA },
  ])('keep what a session key is: $algorithm', (key) => {
    expect(readSessionKey(writeSessionKey(key))).toEqual(key);
  });
});

describe('toLibrary', () => {
  it('changes nothing', () => {
    const key: SessionKey = { algorithm: null, data: DATA };
    expect(toLibrary(key)).toBe(key);
  });
});
