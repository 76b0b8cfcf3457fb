import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFile } from '../../../src/ledger/queries/search.ts';
import { intakeFile } from '../../../workers/intake.ts';
import { submitBatch } from '../../../workers/submit.ts';
import { takeClaim } from '../../../workers/take-claim.ts';
import { checkFolders } from '../../../workers/check-folders.ts';
import { achRow, lines } from '../../support/payment-rows.ts';
import { claimContent } from '../../workers/support/take-in.ts';
import { type CliWorld, openCliWorld } from '../support/cli-world.ts';

let world: CliWorld;
let fileId: string;
beforeAll(async () => {
  // The first question would be due in a minute.
  world = await openCliWorld({ account: { poll: { firstMs: 60_000, factor: 1, longestMs: 60_000 } } });
  await checkFolders(world.settings);
  const claim = await claimContent(world.app, 'drop/ach-charge', 'june.csv', lines([achRow(1)]));
  await takeClaim(world.app, claim);
  await intakeFile(world.app, claim);
  ({ file_id: fileId } = await findFile(world.app.ledger, 'june.csv'));
});
afterAll(() => world.close());

describe('repoll', () => {
  it('refuses a batch that the service has not taken', async () => {
    expect(await world.paydrop('repoll', 'june.csv/1')).toMatchObject({ status: 5, out: '' });
  });

  it('asks now, long before the next question is due, until the result is there', async () => {
    await submitBatch(world.app, { fileId, batchNo: 1 });
    const said = async () => (await world.paydrop('repoll', 'june.csv/1')).out;
    await expect.poll(said).toBe('The result is here and every row has its outcome.\n');
    const again = JSON.parse((await world.paydrop('repoll', 'june.csv/1', '--json')).out) as Record<string, unknown>;
    expect(again).toMatchObject({ fileId, batchNo: 1, name: 'june.csv', state: 'reconciled' });
    expect(world.sandbox.books()).toHaveLength(1);
  });

  it('ends with status 5 when the result does not fit', async () => {
    const claim = await claimContent(world.app, 'drop/ach-charge', 'july.csv', lines([achRow(2)]));
    await takeClaim(world.app, claim);
    await intakeFile(world.app, claim);
    const july = await findFile(world.app.ledger, 'july.csv');
    await submitBatch(world.app, { fileId: july.file_id, batchNo: 1 });
    world.sandbox.faults.plan({ kind: 'result-amount-altered', operation: 'getBatchProcessResultFile' });
    const said = async () => (await world.paydrop('repoll', 'july.csv/1')).status;
    await expect.poll(said).toBe(5);
    expect((await findFile(world.app.ledger, 'july.csv')).state).toBe('in_progress');
  });
});
