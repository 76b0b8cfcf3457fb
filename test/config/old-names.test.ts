import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadSettings } from '../../src/config/config.ts';
import { renameOld } from '../../src/config/old-names.ts';
import { freshFolder } from '../files/support/fresh-folder.ts';

const YAML = `
accounts: { main: { server: NA, country: US, currency: USD, timeZone: UTC, agentCode: TEST88, password: TEST88 } }
folders: [{ path: drop/card, account: main, operation: card, complete: { by: quiet } }]
`;

async function load(more: string, env: NodeJS.ProcessEnv = {}) {
  const root = await freshFolder();
  await writeFile(join(root, 'paydrop.yaml'), YAML + more);
  return loadSettings(root, env);
}

describe('renameOld', () => {
  it('takes a setting under its former name, and says how it is called now', async () => {
    const settings = await load('desk: { listen: 127.0.0.1:1 }\n');
    expect(settings.dashboard?.listen).toEqual({ host: '127.0.0.1', port: 1 });
    expect(settings.warnings).toEqual([expect.stringMatching(/^"desk" is called "dashboard" now/)]);
  });

  it('takes a variable under its former name', async () => {
    const settings = await load('', { PAYDROP_DESK: 'off' });
    expect(settings.dashboard).toBeUndefined();
    expect(settings.warnings).toEqual([expect.stringMatching(/^"PAYDROP_DESK" is called "PAYDROP_DASHBOARD" now/)]);
  });

  it('takes an empty variable for one that is left out, and the present name before the former one', async () => {
    expect((await load('', { PAYDROP_DESK: 'off', PAYDROP_DASHBOARD: '' })).dashboard).toBeUndefined();
    const both = await load('', { PAYDROP_DESK: 'off', PAYDROP_DASHBOARD: '127.0.0.1:3' });
    expect(both.dashboard?.listen.port).toBe(3);
  });

  it('says nothing of present names', async () => {
    const settings = await load('dashboard: { listen: 127.0.0.1:1 }\n', { PAYDROP_DASHBOARD: '127.0.0.1:2' });
    expect(settings).toMatchObject({ dashboard: { listen: { port: 2 } }, warnings: [] });
  });

  it('refuses a setting under both names', async () => {
    await expect(load('desk: {}\ndashboard: {}\n')).rejects.toThrow(/desk/);
  });

  it.each([undefined, null, 'text', [1]])('leaves %j to the check of the configuration', (given) => {
    expect(renameOld(given, {})).toEqual({ given, env: {}, warnings: [] });
  });
});
