import { expect, it } from 'vitest';
import { Config } from '../../../schemas/config.ts';
import { resolveSettings } from '../../../src/config/config.ts';
import { readObstacles } from '../../../workers/upkeep/alarms/obstacles.ts';
import { openTestLedger } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

const MAIN = { server: 'NA', country: 'US', currency: 'USD', agentCode: 'TEST88', password: 'TEST88' };

it('lists both an account that waits for an answer and a folder that takes no files', async () => {
  await world.batchIn('ready', { account: 'main' });
  await world.force(
    `INSERT INTO address_question (account, mark, merchant_no, server, address, is_sandbox, country, currency, asked_at)
     SELECT account, 'new mark', merchant_no, 'NA', 'https://new.test/', false, country, currency, now()
     FROM account WHERE account = 'main'`,
  );
  const folders = [{ path: 'drop/dues', account: 'main', operation: 'ach-charge', profile: 'dues' }];
  const settings = resolveSettings(Config.parse({ accounts: { main: MAIN }, folders }), '/nowhere', {});
  const found = (await readObstacles(world.ledger, settings)).map(({ key }) => key);
  expect(found).toEqual(['address main', 'profile dues']);
});
