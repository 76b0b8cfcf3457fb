import { describe, expect, it } from 'vitest';
import { Config } from '../../schemas/config.ts';
import { resolveSettings } from '../../src/config/config.ts';
import { planReload } from '../../src/config/plan-reload.ts';
import { markSections, SECRET_NAMES, SECTIONS } from '../../src/config/sections.ts';
import { z } from 'zod';

/** What a running process takes up from a changed paydrop.yaml, and what it leaves to a restart. */

const MAIN = { server: 'NA', country: 'US', currency: 'USD', agentCode: 'TEST88', password: 'TEST88' };
const DUES = { path: 'drop/dues', account: 'main', operation: 'ach-charge' };
const CARD = { path: 'drop/card', account: 'main', operation: 'card' };
const HOOK = { by: 'webhook', url: 'https://example.com', secret: 'SECRET' };
const BEFORE = {
  accounts: { main: MAIN, other: { ...MAIN, agentCode: 'OTHER' } },
  folders: [DUES],
  schedules: { nightly: { does: 'take', at: '22:00' } },
};

const read = (config: object) => resolveSettings(Config.parse(config), '/srv/paydrop', {});

function reload(change: object, before: object = BEFORE) {
  const { folders, alarms, left, waits } = planReload(read(before), read({ ...before, ...change }));
  const said = folders.map(({ id, account, operation }) => `${id} ${account} ${operation}`);
  return { folders: said, alarms: alarms.length, left: left.map(({ id }) => id), waits };
}

const AS_BEFORE = { folders: ['drop/dues main ach-charge'], alarms: 0, left: [], waits: [] };
const WITH_CARD = [...AS_BEFORE.folders, 'drop/card main card'];

describe('planReload', () => {
  it.each<[string, object, object]>([
    ['nothing', {}, {}],
    ['a new folder', { folders: [DUES, CARD] }, { folders: WITH_CARD }],
    ['a folder that leaves', { folders: [CARD] }, { folders: ['drop/card main card'], left: ['drop/dues'] }],
    ['an alarm', { alarms: [HOOK] }, { alarms: 1 }],
    ['a rule of a folder', { folders: [{ ...DUES, duplicateRows: 'reject' }] }, {}],
    ['a folder that another account pays for', { folders: [{ ...DUES, account: 'other' }] }, { waits: ['folders'] }],
    ['a folder that refunds', { folders: [{ ...DUES, operation: 'ach-refund' }] }, { waits: ['folders'] }],
    ['another place for claims', { folders: [{ ...DUES, work: 'elsewhere' }] }, { waits: ['folders'] }],
    ...[
      { agentCode: 'NEW' },
      { password: 'NEW' },
      { baseUrl: 'http://127.0.0.1:9' },
      { currency: 'CAD' },
      { country: 'CA' },
      { window: { from: '20:00' } },
      { limits: { rowAmount: 5 } },
      { secondPerson: { refunds: true } },
    ].map((change): [string, object, object] => [
      `an account with ${Object.keys(change)[0]}, and a new folder of it`,
      { accounts: { ...BEFORE.accounts, main: { ...MAIN, ...change } }, folders: [DUES, CARD] },
      { waits: ['accounts', 'folders'] },
    ]),
    [
      'a new account with a folder',
      { accounts: { ...BEFORE.accounts, third: MAIN }, folders: [DUES, { ...CARD, account: 'third' }] },
      { waits: ['accounts', 'folders'] },
    ],
    [
      'a folder of a changed schedule',
      { schedules: { nightly: { does: 'take', at: '23:00' } }, folders: [DUES, { ...CARD, schedule: 'nightly' }] },
      { waits: ['schedules', 'folders'] },
    ],
    [
      'a folder of an unchanged schedule',
      { folders: [DUES, { ...CARD, schedule: 'nightly' }] },
      { folders: WITH_CARD },
    ],
    ['the size of batches', { batch: { maxRows: 5 } }, { waits: ['batch'] }],
    ['the place of outputs', { paths: { out: 'results' } }, { waits: ['paths'] }],
  ])('%s', (_what, change, expected) => {
    expect(reload(change)).toEqual({ ...AS_BEFORE, ...expected });
  });

  it('keeps the object of a folder that is unchanged, so that its drops do not begin to settle anew', () => {
    const used = read(BEFORE);
    const { folders } = planReload(used, read({ ...BEFORE, folders: [CARD, DUES] }));
    expect(folders[1]).toBe(used.folders[0]);
  });

  it('takes up no folder that contradicts one which waits for a restart', () => {
    const folders = [
      { ...DUES, account: 'other', path: 'drop/dues' },
      { ...CARD, path: 'drop/dues/card' },
    ];
    expect(() => reload({ folders })).toThrow('drop/dues');
    const moved = reload({ folders: [{ ...CARD, path: 'drop/dues/card' }] });
    expect(moved).toMatchObject({ folders: ['drop/dues/card main card'], left: ['drop/dues'] });
  });
});

/** Sets a text at each place of the configuration that a person may write a secret into. */
const secretsIn = (text: string) =>
  Config.parse({
    ...BEFORE,
    accounts: { main: { ...MAIN, agentCode: text, password: text, openpgp: { key: `command:${text}` } } },
    alarms: [
      { ...HOOK, url: text, secret: text },
      { by: 'mail', smtpUrl: text, from: 'a@example.com', to: ['b@example.com'] },
    ],
    dashboard: { openid: { issuer: 'https://id.example', clientId: 'us', clientSecret: text } },
    masterKey: `command:${text}`,
  });

describe('markSections', () => {
  it('shows a change of secrets in this process only', () => {
    const [one, other] = [markSections(secretsIn('ONE')), markSections(secretsIn('OTHER'))];
    const changed = (kind: 'open' | 'whole') =>
      SECTIONS.filter((section) => one[section][kind] !== other[section][kind]);
    expect(changed('open')).toEqual([]);
    expect(changed('whole')).toEqual(['accounts', 'masterKey', 'dashboard', 'alarms']);
  });

  it('shows another place of a secret, and not the order of settings', () => {
    const mark = (main: object) => markSections(Config.parse({ ...BEFORE, accounts: { main } })).accounts.open;
    expect(mark({ ...MAIN, password: 'env:NEW' })).not.toBe(mark({ ...MAIN, password: 'env:OLD' }));
    expect(mark(Object.fromEntries(Object.entries(MAIN).reverse()))).toBe(mark(MAIN));
  });

  it('knows every setting that may be a secret', () => {
    const found = new Set<string>();
    const walk = (schema: unknown) => {
      for (const [name, inner] of Object.entries(Object(schema) as object)) {
        if (typeof inner?.description === 'string' && /env:NAME.*file:PATH|file:PATH.*env:NAME/.test(inner.description))
          found.add(name);
        if (typeof inner === 'object') walk(inner);
      }
    };
    walk(z.toJSONSchema(Config, { io: 'input' }));
    found.delete('senders');
    expect([...found].filter((name) => !SECRET_NAMES.has(name))).toEqual([]);
    expect(found.size).toBeGreaterThan(5);
  });
});
