import { describe, expect, it } from 'vitest';
import { Config } from '../../../schemas/config.ts';
import { resolveSettings } from '../../../src/config/config.ts';
import { planReload } from '../../../src/config/plan-reload.ts';
import { markSections, SECTIONS } from '../../../src/config/sections.ts';
import { transfers } from '../../../src/features/transfers/index.ts';

const MAIN = { server: 'NA', country: 'US', currency: 'USD', agentCode: 'TEST88', password: 'TEST88' };
const DUES = { path: 'drop/dues', account: 'main', operation: 'ach-charge' };
const CARD = { path: 'drop/card', account: 'main', operation: 'card' };
const BANK = { host: 'sftp.example', user: 'us', password: 'SFTP', hostKey: `SHA256:${'A'.repeat(43)}` };
const BEFORE = { accounts: { main: MAIN }, folders: [DUES], remotes: { bank: BANK } };

const read = (config: object) => resolveSettings(Config.parse(config), '/srv/paydrop', {}, { installed: [transfers] });

function reload(change: object) {
  const { folders, waits } = planReload(read(BEFORE), read({ ...BEFORE, ...change }));
  return { folders: folders.map(({ id }) => id), waits };
}

describe('a changed configuration', () => {
  const pulled = { ...CARD, pull: { remote: 'bank', path: '/out' } };

  it('of a server waits for a restart', () => {
    expect(reload({ remotes: {} })).toEqual({ folders: ['drop/dues'], waits: ['remotes'] });
  });

  it('of a folder is taken up while its server is as before', () => {
    expect(reload({ folders: [DUES, pulled] })).toEqual({ folders: ['drop/dues', 'drop/card'], waits: [] });
  });

  it('of a folder waits while its server is another one', () => {
    const change = { folders: [DUES, pulled], remotes: { bank: { ...BANK, host: 'other.example' } } };
    expect(reload(change)).toEqual({ folders: ['drop/dues'], waits: ['remotes', 'folders'] });
  });

  it('of a password shows in this process only', () => {
    const marked = (password: string) =>
      markSections(Config.parse({ ...BEFORE, remotes: { bank: { ...BANK, password } } }));
    const [one, other] = [marked('ONE'), marked('OTHER')];
    const changed = (kind: 'open' | 'whole') =>
      SECTIONS.filter((section) => one[section][kind] !== other[section][kind]);
    expect(changed('open')).toEqual([]);
    expect(changed('whole')).toEqual(['remotes']);
  });
});
