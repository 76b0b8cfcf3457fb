import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { App } from '../../../src/app.ts';
import { readFileState } from '../../../src/ledger/file/read-file.ts';
import { runIntakeJob } from '../../../workers/intake/intake.ts';
import { takeClaim } from '../../../workers/watch/take-claim.ts';
import { achRow, lines } from '../../support/payment-rows.ts';
import { cutAtStatement, POWER_CUT } from '../support/failing-app.ts';
import { stepWorld } from '../support/step-world.ts';
import { query } from '../support/story.ts';
import { claimContent } from '../support/take-in.ts';

const world = stepWorld({ accounts: 12 });

const GOING_ON = new AbortController().signal;
let rows = 0;

/** Claims one file in each of these accounts. */
async function claimedIn(...accounts: string[]): Promise<[string, ...string[]]> {
  const ids: string[] = [];
  for (const account of accounts) {
    rows += 1;
    const content = lines([achRow(rows)]);
    const claim = await claimContent(world.app, `drop/${account}/ach-charge`, `${rows}.csv`, content);
    await takeClaim(world.app, claim);
    ids.push(claim.fileId);
  }
  return ids as [string, ...string[]];
}

/** Returns the world's app and the jobs it adds. */
function watched(app = world.app) {
  const asks: { name: string; data: unknown }[] = [];
  const add: App['queue']['add'] = async (name, _id, data) => void asks.push({ name, data });
  return { app: { ...app, queue: { ...app.queue, add } }, asks };
}

const statesOf = (fileIds: readonly string[]) =>
  Promise.all(fileIds.map((fileId) => readFileState(world.app.ledger, fileId)));

// On a busy machine a moment may be long.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

describe('runIntakeJob', () => {
  it('takes in all files of its job and asks for what follows together', async () => {
    const [one, other] = [world.freshAccount(), world.freshAccount()];
    const [fileId, ...more] = await claimedIn(one, one, other);
    const { app, asks } = watched();
    await runIntakeJob(app, { fileId, more }, GOING_ON);
    expect(await statesOf([fileId, ...more])).toEqual(['accepted', 'accepted', 'accepted']);
    expect(asks).toEqual([
      { name: 'submit', data: { fileId, batchNo: 1 } },
      { name: 'submit', data: { fileId: more[1], batchNo: 1 } },
      { name: 'deliver', data: { fileId, more } },
    ]);
  });

  it('asks for the rest when its time is over, and for what follows the others', async () => {
    const account = world.freshAccount();
    const [fileId, ...more] = await claimedIn(account, account, account);
    const { app, asks } = watched();
    await runIntakeJob(app, { fileId, more }, GOING_ON, 0);
    expect(await statesOf([fileId, ...more])).toEqual(['accepted', 'claimed', 'claimed']);
    expect(asks).toEqual([
      { name: 'intake', data: { fileId: more[0], more: [more[1]] } },
      { name: 'submit', data: { fileId, batchNo: 1 } },
      { name: 'deliver', data: { fileId } },
    ]);
  });

  it('decides files in their order, however many it reads at a time', async () => {
    const account = world.freshAccount();
    const content = lines([achRow(1), achRow(2)]);
    const ids: string[] = [];
    for (const name of ['a.csv', 'b.csv', 'c.csv']) {
      const claim = await claimContent(world.app, `drop/${account}/ach-charge`, name, content);
      await takeClaim(world.app, claim);
      ids.push(claim.fileId);
    }
    const [fileId, ...more] = ids as [string, ...string[]];
    await runIntakeJob(watched().app, { fileId, more }, GOING_ON);
    expect(await statesOf(ids)).toEqual(['accepted', 'rejected', 'rejected']);
    const duplicates = await query(world.app, 'SELECT duplicate_of FROM file WHERE file_id = ANY ($1)', [more]);
    expect(duplicates).toEqual([{ duplicate_of: fileId }, { duplicate_of: fileId }]);
  });

  it('asks for what follows the good files when one fails', async () => {
    const account = world.freshAccount();
    const files = await claimedIn(account, account);
    const [fileId, ...more] = files;
    const { app, asks } = watched(cutAtStatement(world.app, /COPY payment_row/).app);
    await expect(runIntakeJob(app, { fileId, more }, GOING_ON)).rejects.toThrow(POWER_CUT);
    // Both are read at the same time, so either may be cut.
    const states = await statesOf(files);
    expect(states.toSorted()).toEqual(['accepted', 'claimed']);
    const good = files[states.indexOf('accepted')]!;
    const cut = files[states.indexOf('claimed')]!;
    expect(asks).toEqual([
      { name: 'submit', data: { fileId: good, batchNo: 1 } },
      { name: 'deliver', data: { fileId: good } },
    ]);
    expect(
      await query(world.app, 'SELECT 1 FROM payment_row JOIN file USING (file_no) WHERE file_id = $1', [cut]),
    ).toEqual([]);
  });
});
