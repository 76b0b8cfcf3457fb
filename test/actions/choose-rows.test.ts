import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFile } from '../../src/ledger/file/search.ts';
import type { FileRow } from '../../src/ledger/engine/records.ts';
import { chooseRows, findMissing } from '../../src/actions/choose-rows.ts';
import { resubmitRows } from '../../src/actions/resubmit.ts';
import { cardRow, lines, MAGIC_CARD } from '../support/payment-rows.ts';
import { openPipelineWorld, type PipelineWorld } from '../support/pipeline-world.ts';

const because = { actor: 'operator:ada', reason: 'the card is good now' };

let world: PipelineWorld;
let june: FileRow;
beforeAll(async () => {
  world = await openPipelineWorld();
  const declined = cardRow(2, { card: MAGIC_CARD, amount: '2.00' });
  await world.drop('card', 'june.csv', lines([cardRow(1), declined]));
  await world.drop('card', 'rejected.csv', 'one,two\n');
  await world.finish();
  june = await findFile(world.app.ledger, 'june.csv');
});
afterAll(() => world.close());

describe('chooseRows', () => {
  it('has the rows that were certainly not charged', async () => {
    expect(await chooseRows(world.app, june)).toEqual({ lines: [2], cents: 200, barred: 0, shown: [], unproven: [] });
    await expect(chooseRows(world.app, june, 'not-sent')).rejects.toMatchObject({
      code: 'MOVE_REFUSED',
      message: expect.stringContaining('it has no such rows'),
    });
  });

  it('refuses a file that is not at its end, with what to do', async () => {
    const rejected = await findFile(world.app.ledger, 'rejected.csv');
    await expect(chooseRows(world.app, rejected)).rejects.toThrow(
      'its state is rejected. Correct it and drop it again.',
    );
    const going = { ...june, state: 'in_progress' } as const;
    await expect(chooseRows(world.app, going)).rejects.toThrow('Wait until it is completed.');
  });
});

describe('findMissing', () => {
  it('finds the file that has not come back, for which everything else waits', async () => {
    await expect(findMissing(world.app, june)).rejects.toThrow('none is missing');
    const { name } = (await resubmitRows(world.app, june, await chooseRows(world.app, june), because))!;
    expect(await findMissing(world.app, june)).toMatchObject({ earlier: { name, rows: 1, cents: 200 }, lines: [2] });
    await expect(chooseRows(world.app, june)).rejects.toThrow(`"${name}" with 1 row of it has not been taken from`);
    await world.finish();
    await expect(findMissing(world.app, june)).rejects.toThrow('none is missing');
    await expect(chooseRows(world.app, june)).rejects.toThrow('every such row was already resubmitted, or is barred');
  });
});
