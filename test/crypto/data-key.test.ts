import { describe, expect, it } from 'vitest';
import { newDataKey, rewrapDataKey, unwrapDataKey } from '../../src/crypto/data-key.ts';
import { masterKeyOf } from '../support/load-master-key.ts';

const MASTER = masterKeyOf(1);
const OTHER = masterKeyOf(2);
const FILE = '0123456789abcdef';

describe('newDataKey', () => {
  it('gives 32 random bytes and their wrapped form', () => {
    const { key, wrapped } = newDataKey(MASTER, FILE);
    expect(key.fileId).toBe(FILE);
    expect(key.bytes).toHaveLength(32);
    expect(wrapped.includes(key.bytes.subarray(0, 8))).toBe(false);
    expect(newDataKey(MASTER, FILE).key.bytes.equals(key.bytes)).toBe(false);
  });

  it('does not show the key where the object is printed', () => {
    const { key, wrapped } = newDataKey(MASTER, FILE);
    expect(JSON.stringify(key)).toBe(`{"fileId":"${FILE}","bytes":"[hidden]"}`);
    expect(JSON.stringify(unwrapDataKey(MASTER, FILE, wrapped))).toBe(JSON.stringify(key));
  });
});

describe('unwrapDataKey', () => {
  it('gives back the key', () => {
    const { key, wrapped } = newDataKey(MASTER, FILE);
    const opened = unwrapDataKey(MASTER, FILE, wrapped);
    expect(opened.fileId).toBe(FILE);
    expect(opened.bytes.equals(key.bytes)).toBe(true);
  });

  it.each([
    ['another master key', OTHER, FILE, 'MASTER_KEY_WRONG'],
    ['another file id', MASTER, '0123456789abcdeg', 'SEAL_BROKEN'],
  ])('refuses %s', (_, master, fileId, code) => {
    const { wrapped } = newDataKey(MASTER, FILE);
    expect(() => unwrapDataKey(master, fileId, wrapped)).toThrow(expect.objectContaining({ code }));
  });

  it('refuses an altered key', () => {
    const { wrapped } = newDataKey(MASTER, FILE);
    wrapped[40] = (wrapped[40] ?? 0) ^ 1;
    expect(() => unwrapDataKey(MASTER, FILE, wrapped)).toThrow(expect.objectContaining({ code: 'SEAL_BROKEN' }));
  });
});

describe('rewrapDataKey', () => {
  it('leaves the key the same under the new master key', () => {
    const { key, wrapped } = newDataKey(MASTER, FILE);
    const moved = rewrapDataKey(MASTER, OTHER, FILE, wrapped);
    expect(unwrapDataKey(OTHER, FILE, moved).bytes.equals(key.bytes)).toBe(true);
  });
});
