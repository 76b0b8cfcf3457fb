import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readHeld } from '../../../src/ledger/file/list-files.ts';
import { type LedgerWorld, openTestLedger, START } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
beforeEach(() => world.empty());
afterAll(() => world.close());

describe('readHeld', () => {
  it('lists what waits for a person, longest first, and nothing else', async () => {
    await world.accepted({ account: 'main' });
    const first = await world.held({ account: 'main', withheld: 2 });
    world.clock.advance(60_000);
    const second = await world.held({ account: 'side', rowsPerBatch: 3 });
    expect(await readHeld(world.ledger)).toEqual([
      {
        fileId: first.file_id,
        name: first.name,
        account: 'main',
        rows: 2,
        cents: 500,
        since: new Date(START),
        reason: 'hold it',
      },
      expect.objectContaining({ fileId: second.file_id, account: 'side', rows: 3, cents: 900 }),
    ]);
  });

  it('has no rows and no money of a file that was not read', async () => {
    const file = await world.claimed();
    await world.putFile(file.file_id, 'held');
    expect(await readHeld(world.ledger)).toMatchObject([{ rows: 0, cents: 0, reason: null }]);
  });
});
