import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findKey, idsOf, openKeyRing } from '../../src/crypto/key-ring.ts';
import { masterKeyOf, textOf } from '../support/load-master-key.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paydrop-ring-'));
});
afterAll(() => rm(folder, { recursive: true }));

const [one, two, three] = [1, 2, 3].map(masterKeyOf);
const write = (...fills: number[]) =>
  writeFile(join(folder, 'key'), fills.map((fill) => `${textOf(fill)}\n`).join(''), { mode: 0o600 });

describe('openKeyRing', () => {
  it('holds all keys of a place, the first as the current one', async () => {
    await write(1, 2);
    const ring = openKeyRing({ kind: 'file', path: join(folder, 'key') });
    expect(ring.current).toEqual(one);
    expect(ring.ids()).toEqual([one!.id, two!.id]);
    expect(ring.find(two!.id)).toEqual(two);
  });

  it('reads the place again for a key that it does not hold, and only then', async () => {
    await write(1);
    const ring = openKeyRing({ kind: 'file', path: join(folder, 'key') });
    await write(2, 1);
    expect(ring.find(one!.id)).toEqual(one);
    expect(ring.current).toEqual(one);
    expect(ring.find(two!.id)).toEqual(two);
    expect(ring.current).toEqual(two);
    expect(ring.find(three!.id)).toBeUndefined();
  });

  it('keeps what it holds when the place has gone wrong', async () => {
    await write(1);
    const ring = openKeyRing({ kind: 'file', path: join(folder, 'key') });
    await writeFile(join(folder, 'key'), 'no key');
    expect(ring.find(two!.id)).toBeUndefined();
    expect(ring.find(one!.id)).toEqual(one);
  });

  it('does not open without a key', () => {
    expect(() => openKeyRing({ kind: 'file', path: join(folder, 'absent') })).toThrow(
      expect.objectContaining({ code: 'MASTER_KEY_MISSING' }),
    );
  });
});

describe('findKey and idsOf', () => {
  it('take a single key for a ring of one', () => {
    expect(findKey(one!, one!.id)).toBe(one);
    expect(findKey(one!, two!.id)).toBeUndefined();
    expect(idsOf(one!)).toEqual([one!.id]);
  });
});
