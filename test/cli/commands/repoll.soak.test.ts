import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFile } from '../../../src/ledger/file/search.ts';
import { intakeFile } from '../../../workers/intake/intake.ts';
import { submitBatch } from '../../../workers/submit/submit.ts';
import { takeClaim } from '../../../workers/watch/take-claim.ts';
import { checkFolders } from '../../../workers/watch/check-folders.ts';
import { achRow, lines } from '../../support/payment-rows.ts';
import { claimContent } from '../../workers/support/take-in.ts';
import { type CliWorld, openCliWorld } from '../support/cli-world.ts';

let world: CliWorld;
let fileId: string;
beforeAll(async () => {
  // The first poll would be due in a minute.
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
    const refused = await world.paydrop('repoll', 'june.csv/1');
    expect(refused).toMatchObject({ status: 5, out: '' });
    expect(refused.err).toContain('it must be submitted or result received or exception or reconciled');
  });

  it('asks now, long before the next question is due, until the result is there', async () => {
    await submitBatch(world.app, { fileId, batchNo: 1 });
    const said = async () => (await world.paydrop('repoll', 'june.csv/1')).out;
    await expect.poll(said).toBe('The result has arrived and every row has its outcome.\n');
    const again = JSON.parse((await world.paydrop('repoll', 'june.csv/1', '--json')).out) as Record<string, unknown>;
    expect(again).toMatchObject({ fileId, batchNo: 1, name: 'june.csv', state: 'reconciled' });
    expect(await said()).toMatch(/^Every row already had its outcome; /);
    expect(world.sandbox.books()).toHaveLength(1);
  });

  it('says that the question got no answer, and is no worse for it', async () => {
    const claim = await claimContent(world.app, 'drop/ach-charge', 'may.csv', lines([achRow(3)]));
    await takeClaim(world.app, claim);
    await intakeFile(world.app, claim);
    await submitBatch(world.app, { fileId: claim.fileId, batchNo: 1 });
    world.sandbox.faults.plan({ kind: 'http-500', operation: 'getBatchProcessResultFile' });
    const { out, status } = await world.paydrop('repoll', 'may.csv/1');
    expect(out).toMatch(/^The question got no answer: the service answered HTTP 500\. The service has the batch/);
    expect(status).toBe(5);
    await expect.poll(async () => (await world.paydrop('repoll', 'may.csv/1')).out).toMatch(/^The result has arrived/);
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
