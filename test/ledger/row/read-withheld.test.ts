import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readFileRow } from '../../../src/ledger/file/read-file.ts';
import { readWithheldFiles, sumWithheld, withheldOf } from '../../../src/ledger/row/read-withheld.ts';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { openStepWorld, type StepWorld } from '../../workers/support/step-world.ts';
import { takeIn } from '../../workers/support/take-in.ts';

let world: StepWorld;
beforeAll(async () => {
  world = await openStepWorld({ accounts: 3 });
});
afterAll(() => world.close());

async function taken(rows: readonly string[]) {
  const fileId = await takeIn(world.app, `drop/${world.freshAccount()}/card`, lines(rows));
  return readFileRow(world.app.ledger, fileId);
}

const SOUND = Array.from({ length: 30 }, (_, index) => cardRow(index + 1));

describe('withheldOf', () => {
  it('counts the rows that were withheld, their money, and the amounts that cannot be read', async () => {
    const file = await taken([
      ...SOUND,
      cardRow(40, { amount: 'ten', expiry: '1' }),
      cardRow(41, { amount: '7.50', mop: 'X', expiry: '1' }),
      cardRow(42, { amount: '1.25', expiry: '1' }),
    ]);
    const withheld = { rows: 3, cents: 875, unreadable: 1 };
    expect(withheldOf(file)).toEqual(withheld);
    const day = { from: new Date(0), until: new Date(file.claimed_at.getTime() + 86_400_000) };
    expect(await sumWithheld(world.app.ledger.pool, file.account, day.from, day.until)).toEqual(withheld);
  });

  it('finds none where all were sent', async () => {
    expect(withheldOf(await taken(SOUND))).toEqual({ rows: 0, cents: 0, unreadable: 0 });
  });
});

describe('readWithheldFiles', () => {
  it('names the files of which rows were withheld, since a moment', async () => {
    const file = await taken([...SOUND, cardRow(50, { amount: 'ten' })]);
    const { ledger } = world.app;
    const found = await readWithheldFiles(ledger, new Date(0));
    expect(found).toContainEqual({
      fileId: file.file_id,
      name: file.name,
      account: file.account,
      claimedAt: file.claimed_at,
      rows: 1,
      cents: 0,
      unreadable: 1,
    });
    expect(found.every(({ rows }) => rows > 0)).toBe(true);
    expect(await readWithheldFiles(ledger, new Date(file.claimed_at.getTime() + 1))).toEqual([]);
  });
});
