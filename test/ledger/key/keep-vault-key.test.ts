import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readVaultKey } from '../../../src/ledger/key/master-keys.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

describe('readVaultKey', () => {
  it('makes a key at the first call and gives the same one ever after', async () => {
    let made = 0;
    const make = () => Buffer.from([255, 0, (made += 1)]);
    expect(await readVaultKey(world.ledger, 'fingerprint', make)).toEqual(Buffer.from([255, 0, 1]));
    expect(await readVaultKey(world.ledger, 'fingerprint', make)).toEqual(Buffer.from([255, 0, 1]));
    expect(made).toBe(1);
  });

  it('keeps a key for each name', async () => {
    await readVaultKey(world.ledger, 'one', () => Buffer.from('1'));
    expect(await readVaultKey(world.ledger, 'two', () => Buffer.from('2'))).toEqual(Buffer.from('2'));
  });

  it('gives all who come first at the same moment one key', async () => {
    const keys = await Promise.all(
      Array.from({ length: 10 }, (_, index) => readVaultKey(world.ledger, 'shared', () => Buffer.from([index]))),
    );
    expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(1);
  });
});
