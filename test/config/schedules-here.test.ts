import { describe, expect, it } from 'vitest';
import { Config } from '../../schemas/config.ts';
import { schedulesHere, siteOfSchedule } from '../../src/config/schedules-here.ts';

const ACCOUNT = { server: 'NA', country: 'US', currency: 'USD', agentCode: 'A', password: 'P' };
const { schedules, folders } = Config.parse({
  accounts: { dues: ACCOUNT, rent: ACCOUNT, empty: ACCOUNT },
  folders: [
    { path: 'a', account: 'dues', operation: 'ach-charge' },
    { path: 'b', account: 'rent', operation: 'ach-charge', site: 'north', schedule: 'nightly' },
  ],
  schedules: {
    nightly: { does: 'take', at: '22:00' },
    unused: { does: 'take', at: '22:00' },
    dues: { does: 'day-close', at: '23:00', account: 'dues' },
    rent: { does: 'day-close', at: '23:00', account: 'rent' },
    empty: { does: 'day-close', at: '23:00', account: 'empty' },
  },
});

describe('siteOfSchedule', () => {
  it.each([
    ['nightly', 'north'],
    ['unused', 'main'],
    ['dues', 'main'],
    ['rent', 'north'],
    ['empty', 'main'],
    ['not in the configuration', 'main'],
  ])('%s is run at %s', (name, site) => {
    expect(siteOfSchedule({ schedules, folders: folders.map(toFolder) }, name)).toBe(site);
  });
});

describe('schedulesHere', () => {
  it.each([
    ['north', ['nightly', 'rent']],
    ['main', ['unused', 'dues', 'empty']],
    ['south', []],
  ])('at %s there are %j', (site, names) => {
    const here = schedulesHere({ schedules, folders: folders.map(toFolder), site });
    expect(here.map(([name]) => name)).toEqual(names);
  });
});

function toFolder(folder: (typeof folders)[number]) {
  return { ...folder, id: folder.path, work: 'work', routingCheck: false };
}
