import { describe, expect, it } from 'vitest';
import { readSample } from '../../../src/actions/profile/read-sample.ts';
import type { SamplePlace } from '../../../src/actions/profile/compare-sample.ts';
import { AccountConfig, FolderConfig } from '../../../schemas/config.ts';
import { parseProfile } from '../../../src/csv/profile/parse-profile.ts';
import { PROFILE_TEXT } from '../../ledger/support/put-version.ts';

const ACCOUNT = AccountConfig.parse({ server: 'NA', country: 'US', currency: 'USD', agentCode: 'a', password: 'b' });
const FOLDER = FolderConfig.parse({ path: 'drop/card', account: 'main', operation: 'card', profile: 'dues' });
const PLACE = {
  folder: { ...FOLDER, id: 'drop/card', routingCheck: false },
  account: { ...ACCOUNT, name: 'main' },
} as unknown as SamplePlace;

function read(...rows: string[]) {
  const parsed = parseProfile(PROFILE_TEXT);
  if (!('profile' in parsed)) throw new Error('the profile has faults');
  const text = ['Number,Customer,Memo,Due', ...rows].map((row) => `${row}\n`).join('');
  return readSample(parsed.profile, Buffer.from(text), PLACE);
}

describe('readSample', () => {
  it('has number, total and amounts of the payments, and shows cell by cell what is sent', async () => {
    const found = await read('R-1,C001,June,25.00', 'R-2,C002,,30.50');
    expect(found).toMatchObject({ fits: true, rows: 2, cents: 5_550, amounts: [2_500, 3_050], skipped: [] });
    const { listing } = found as Extract<typeof found, { fits: true }>;
    expect(listing!.rows).toContainEqual(['2', 'Due', '25.00', 'Amount 25.00']);
  });

  it('counts a payment that would be withheld, because the accounting system counts it too', async () => {
    expect(await read('R-1,C001,June,25.00', 'R-2,C 2,,30.50')).toMatchObject({ fits: true, rows: 2, cents: 5_550 });
  });

  it.each([
    [
      'a cell that the profile cannot read',
      ['R-1,C001,June,"1,000.00"'],
      'Line 2: an amount is not written as the profile says',
    ],
    ['a column too many', ['R-1,C001,June,25.00,x'], 'Line 2: the row has the wrong number of columns'],
    ['no payment', [], 'the file has no row that could be sent'],
  ])('does not fit with %s', async (_, rows, says) => {
    const found = await read(...rows);
    expect(found).toEqual({ fits: false, says: expect.arrayContaining([expect.stringContaining(says)]) });
  });
});
