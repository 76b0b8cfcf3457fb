import { beforeEach, describe, expect, it } from 'vitest';
import type { Settings } from '../../src/config/config.ts';
import { pauseAccount } from '../../src/ledger/account/pause-account.ts';
import { readFileRow } from '../../src/ledger/file/read-file.ts';
import { batchFacts, fileFacts, shortHash } from '../../src/actions/subject-words.ts';
import { keyOf, openTestLedger } from '../support/ledger-world.ts';
import { openedForTests } from '../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);
beforeEach(() => world.empty());
const accounts = new Map([['main', { currency: 'USD', timeZone: 'America/Toronto' }]]);
const context = () => ({ ledger: world.ledger, settings: { accounts } as unknown as Settings });

describe('fileFacts and batchFacts', () => {
  it('hold what a person compares, and no more of a hash than they can', async () => {
    const file = await world.accepted({ account: 'main' });
    const batch = await world.putBatch({ fileId: file.file_id, batchNo: 1 }, 'result_in');
    expect(Object.fromEntries(await fileFacts(context(), file))).toMatchObject({
      State: 'Reconciling',
      Rows: '2',
      Total: { cents: 500, currency: 'USD' },
      Claimed: { at: file.claimed_at, timeZone: 'America/Toronto' },
      'Invalid rows, withheld': '',
      'SHA-256': `${file.sha256.slice(0, 12)}…`,
    });
    expect(Object.fromEntries(await batchFacts(context(), file, batch))).toMatchObject({
      Batch: '1',
      State: 'Reconciling',
      Rows: '2',
    });
    expect(shortHash('abcdef0123456789')).toBe('abcdef012345…');
  });

  it('say what is worse than the state of the file itself', async () => {
    const doubtful = await world.batchIn('unknown', { account: 'main' });
    const waiting = await world.accepted({ account: 'main' });
    const stateOf = async (fileId: string) => {
      const facts = await fileFacts(context(), await readFileRow(world.ledger, fileId));
      return Object.fromEntries(facts)['State'];
    };
    expect(await stateOf(keyOf(doubtful).fileId)).toBe('In doubt');
    expect(await stateOf(waiting.file_id)).toBe('Blocked');
    await pauseAccount(world.ledger, 'other', { actor: 'operator:ada', reason: 'wait' });
    const free = await world.accepted({ account: 'free' });
    expect(await stateOf(free.file_id)).toBe('Queued');
  });
});
