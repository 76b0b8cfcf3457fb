import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openResolution } from '../../../src/cli/resolve/open-resolution.ts';
import type { Account, Settings } from '../../../src/config/config.ts';
import { AccountConfig } from '../../../schemas/config.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

function settingsWith(names: readonly string[]): Settings {
  const config = { server: 'NA', country: 'US', currency: 'USD', agentCode: 'TEST88', password: 'TEST88' };
  const account = (name: string): Account => ({ ...AccountConfig.parse(config), name });
  return { accounts: new Map(names.map((name) => [name, account(name)])) } as unknown as Settings;
}

describe('openResolution', () => {
  it('brings the batch, its file and its account together, in the name of whoever is at the keyboard', async () => {
    const file = await world.accepted({ account: 'main', name: 'monday.csv' });
    const context = await openResolution(world.ledger, settingsWith(['main']), 'monday.csv/1', { dryRun: true });
    expect(context).toMatchObject({
      file: { file_id: file.file_id },
      batch: { batch_no: 1 },
      account: { agentCode: 'TEST88', resolveWaitMs: 86_400_000 },
      actor: expect.stringMatching(/^operator:/),
      dryRun: true,
    });
    expect((await openResolution(world.ledger, settingsWith(['main']), 'monday.csv/1')).dryRun).toBe(false);
  });

  it('needs the account in the configuration', async () => {
    const opened = openResolution(world.ledger, settingsWith(['other']), 'monday.csv/1');
    await expect(opened).rejects.toThrow('Cannot use account "main": it is not in the configuration any more');
  });
});
