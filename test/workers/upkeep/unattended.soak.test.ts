// Roles that no living process has: found within two minutes while they have work, and never otherwise.
import { readFileRow } from '../../../src/ledger/file/read-file.ts';
import { afterEach, describe, expect, it } from 'vitest';
import { Config } from '../../../schemas/config.ts';
import { EVERY_ROLE, type Role } from '../../../schemas/jobs.ts';
import { resolveSettings, type Settings } from '../../../src/config/config.ts';
import { pauseAccount } from '../../../src/ledger/account/pause-account.ts';
import type { Ledger } from '../../../src/ledger/engine/open-ledger.ts';
import {
  findUnattended,
  findUnlisted,
  placeKey,
  readAttendance,
  sayUnattended,
  sayWhyUnattended,
} from '../../../workers/upkeep/alarms/unattended.ts';
import { readPresences } from '../../../src/ledger/process/read-presence.ts';
import { openTestLedger } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

const SITE_ROLES: readonly Role[] = ['watch', 'intake', 'deliver', 'schedule'];
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

type Plan = { site?: string; roles: readonly Role[]; stays?: boolean };

/** A process of a test. It gives a sign of life whenever `live` is called, and is killed by closing it. */
type Running = { ledger: Ledger; plan: Plan };

const running = new Set<Running>();

afterEach(async () => {
  for (const one of running) await kill(one);
  await world.empty();
});

async function start(plan: Plan): Promise<Running> {
  const one = { ledger: await world.openAgain(), plan };
  running.add(one);
  await giveSign(one);
  return one;
}

async function giveSign({ ledger, plan: { site = 'main', roles, stays = true } }: Running, listedMs?: number) {
  await ledger.instance.announce({ site, roles: new Set(roles), stays, listedMs: () => listedMs });
}

async function kill(one: Running): Promise<void> {
  running.delete(one);
  await one.ledger.instance.leave();
}

/** Lets time pass. Every process that lives gives its signs meanwhile. */
async function pass(ms: number): Promise<void> {
  world.clock.advance(ms);
  for (const one of running) await giveSign(one);
}

function settingsFor(sites: readonly string[] = ['main'], ofAccount: object = {}): Settings {
  const folders = sites.flatMap((site) => [
    { path: `drop/${site}/now`, account: 'main', operation: 'card', site },
    { path: `drop/${site}/nightly`, account: 'main', operation: 'ach-charge', site, schedule: `nightly-${site}` },
  ]);
  const schedules = Object.fromEntries(sites.map((site) => [`nightly-${site}`, { does: 'take', at: '22:00' }]));
  const account = {
    server: 'NA',
    country: 'US',
    currency: 'USD',
    agentCode: 'TEST88',
    password: 'TEST88',
    ...ofAccount,
  };
  const config = { accounts: { main: account }, folders, schedules, dashboard: { listen: '127.0.0.1:8080' } };
  return resolveSettings(Config.parse(config), '/nowhere', {});
}

/** Gives every role something to do at these sites. */
async function putWork(sites: readonly string[] = ['main']): Promise<void> {
  await world.batchIn('ready');
  await world.batchIn('submitted');
  for (const site of sites) {
    const { file_id: read } = await world.rejected();
    const { file_id: unread } = await world.claimed();
    await world.force('UPDATE file SET site = $2 WHERE file_id = ANY ($1)', [[read, unread], site]);
  }
}

async function missing(settings: Settings): Promise<string[]> {
  return (await findUnattended(world.ledger, settings)).map(placeKey);
}

const LAYOUTS: Record<string, Required<Plan>[]> = {
  'all in one': [{ site: 'main', roles: [...EVERY_ROLE], stays: true }],
  'three processes': [
    { site: 'main', roles: SITE_ROLES, stays: true },
    { site: 'main', roles: ['submit', 'poll'], stays: true },
    { site: 'main', roles: ['web'], stays: true },
  ],
  'two sites': [
    { site: 'main', roles: [...EVERY_ROLE].filter((role) => role !== 'submit'), stays: true },
    { site: 'west', roles: [...SITE_ROLES, 'submit'], stays: true },
  ],
};

const cases = Object.entries(LAYOUTS).flatMap(([layout, plans]) =>
  plans.map((plan, at) => ({ layout, plans, at, roles: plan.roles.join(',') })),
);

function keysOf({ site, roles }: Required<Plan>): string[] {
  return roles.map((role) => placeKey({ role, site: SITE_ROLES.includes(role) ? site : null })).toSorted();
}

describe.each(cases)('$layout, without its process of $roles', ({ plans, at }) => {
  const sites = [...new Set(plans.map(({ site }) => site))];

  it('is found two minutes after it was killed, and not before', async () => {
    await putWork(sites);
    const processes: Running[] = [];
    for (const plan of plans) processes.push(await start(plan));
    await pass(10 * MINUTE_MS);
    expect(await missing(settingsFor(sites))).toEqual([]);
    await kill(processes[at]!);
    await pass(119 * SECOND_MS);
    expect(await missing(settingsFor(sites))).toEqual([]);
    await pass(SECOND_MS);
    expect((await missing(settingsFor(sites))).toSorted()).toEqual(keysOf(plans[at]!));
    await start(plans[at]!);
    expect(await missing(settingsFor(sites))).toEqual([]);
  });

  it('is found two minutes after the others started without it', async () => {
    if (plans.length === 1) return;
    await putWork(sites);
    for (const plan of plans.toSpliced(at, 1)) await start(plan);
    await pass(119 * SECOND_MS);
    expect(await missing(settingsFor(sites))).toEqual([]);
    await pass(SECOND_MS);
    // Nobody misses a dashboard that was never served.
    const wanted = keysOf(plans[at]!).filter((key) => key !== 'role:web');
    expect((await missing(settingsFor(sites))).toSorted()).toEqual(wanted);
  });
});

describe('findUnattended', () => {
  /** Has a person asked whether the service of this account moved. */
  const askAbout = (account: string) =>
    world.force(
      `INSERT INTO address_question (account, mark, merchant_no, server, address, is_sandbox, country, currency, asked_at)
       SELECT account, 'new mark', merchant_no, 'NA', 'https://new.test/', false, country, currency, now()
       FROM account WHERE account = $1`,
      [account],
    );

  const sender: Plan = { roles: ['submit'] };
  const others: Plan = { roles: [...EVERY_ROLE].filter((role) => role !== 'submit') };

  /** Kills the one process that sends, ten minutes ago. */
  async function loseSender(): Promise<void> {
    await start(others);
    await kill(await start(sender));
    await pass(10 * MINUTE_MS);
  }

  it('finds nothing before the first start, whatever waits', async () => {
    await putWork();
    await pass(60 * MINUTE_MS);
    expect(await missing(settingsFor())).toEqual([]);
  });

  it('says what no process does, since when, what waits, and where the last one was', async () => {
    await world.batchIn('ready', { batches: 3 });
    await loseSender();
    const [found] = await findUnattended(world.ledger, settingsFor());
    expect(sayUnattended(found!)).toBe('No process sends batches');
    expect(sayWhyUnattended(found!, world.clock.now())).toBe(
      `the last one with the role submit, on ${found!.host}, gave its last sign of life 10 min ago; 3 batches wait to be sent, the oldest for 10 min`,
    );
  });

  it('counts a clean end as a sign of life', async () => {
    await world.batchIn('ready');
    await start(others);
    const one = await start(sender);
    world.clock.advance(MINUTE_MS);
    await one.ledger.instance.depart();
    await kill(one);
    await pass(119 * SECOND_MS);
    expect(await missing(settingsFor())).toEqual([]);
    await pass(SECOND_MS);
    expect(await missing(settingsFor())).toEqual(['role:submit']);
  });

  it.each<[string, () => Promise<unknown>, object?]>([
    ['nothing is to be sent', async () => world.batchIn('submitted', { account: 'main' })],
    [
      'the account is paused',
      async () => {
        await world.batchIn('ready', { account: 'main' });
        await pauseAccount(world.ledger, 'main', { actor: 'operator:ann', reason: 'to see' });
      },
    ],
    [
      'its sending window is closed',
      async () => world.batchIn('ready', { account: 'main' }),
      { window: { from: '20:00', to: '21:00' } },
    ],
    [
      'a batch of it is in doubt',
      async () => {
        await world.batchIn('ready', { account: 'main' });
        await world.batchIn('unknown', { account: 'main' });
      },
    ],
    ['what waits was taken for another merchant', async () => world.batchIn('ready', { account: 'main.1' })],
    [
      'nobody has said which service its account means',
      async () => {
        await world.batchIn('ready', { account: 'main' });
        await askAbout('main');
      },
    ],
  ])('misses no process that sends while %s', async (_why, put, account = {}) => {
    await put();
    await loseSender();
    expect(await missing(settingsFor(['main'], account))).toEqual([]);
  });

  it('misses no process that reads files while nobody has said which service their account means', async () => {
    const { file_id: fileId } = await world.claimed({ account: 'main' });
    await start({ roles: [...EVERY_ROLE].filter((role) => role !== 'intake') });
    await pass(10 * MINUTE_MS);
    expect(await missing(settingsFor())).toEqual(['role:intake at main']);
    await askAbout('main');
    expect((await readFileRow(world.ledger, fileId)).state).toBe('claimed');
    expect(await missing(settingsFor())).toEqual([]);
  });

  it('misses no role that was never needed: no folder, no schedule, no transfer, no dashboard', async () => {
    await start({ roles: ['submit', 'poll'] });
    await pass(60 * MINUTE_MS);
    expect(await missing({ ...settingsFor(), folders: [], schedules: {}, dashboard: undefined })).toEqual([]);
  });

  it('asks at each site for what is there', async () => {
    await start({ roles: SITE_ROLES });
    await start({ site: 'west', roles: SITE_ROLES });
    await pass(60 * MINUTE_MS);
    expect(await missing(settingsFor(['main', 'west']))).toEqual([]);
    const { file_id: fileId } = await world.claimed();
    await kill([...running].find(({ plan }) => plan.site === 'west')!);
    await pass(3 * MINUTE_MS);
    expect(await missing(settingsFor(['main', 'west']))).toEqual(['role:watch at west', 'role:schedule at west']);
    await world.force(`UPDATE file SET site = 'west' WHERE file_id = $1`, [fileId]);
    expect(await missing(settingsFor(['main', 'west']))).toContain('role:intake at west');
    // A site that was given up has no folders any more.
    expect(await missing(settingsFor(['main']))).toEqual(['role:intake at west']);
  });

  it('takes a run of a timer for its role until the next day, unless a process that stayed has died', async () => {
    await world.batchIn('ready');
    await start(others);
    await kill(await start({ ...sender, stays: false }));
    await pass(24 * 60 * MINUTE_MS);
    expect(await missing(settingsFor())).toEqual([]);
    await pass(61 * MINUTE_MS);
    expect(await missing(settingsFor())).toEqual(['role:submit']);
    await kill(await start(sender));
    await kill(await start({ ...sender, stays: false }));
    await pass(3 * MINUTE_MS);
    expect(await missing(settingsFor())).toEqual(['role:submit']);
  });

  it('takes no sign of life from the future for one', async () => {
    await world.batchIn('ready');
    await loseSender();
    await world.force(`UPDATE process SET seen_at = seen_at + interval '1 day' WHERE roles = '{submit}'`);
    expect(await missing(settingsFor())).toEqual(['role:submit']);
  });

  it('never counts a command, which only reads and need not know whom accounts mean', async () => {
    await world.batchIn('ready');
    await loseSender();
    const reader = await world.openAgain();
    reader.bound.clear();
    expect((await findUnattended(reader, settingsFor())).map(placeKey)).toEqual(['role:submit']);
    const { rows } = await world.ledger.pool.query('SELECT FROM process');
    expect(rows).toHaveLength(2);
  });
});

describe('findUnlisted', () => {
  it('finds a site whose process lives and lists a folder no more', async () => {
    const settings = settingsFor();
    const one = await start({ roles: SITE_ROLES });
    await giveSign(one, 119_000);
    expect(findUnlisted(await readPresences(world.ledger), settings)).toEqual([]);
    await giveSign(one, 121_000);
    expect(findUnlisted(await readPresences(world.ledger), settings)).toEqual([{ site: 'main', listedMs: 121_000 }]);
  });
});

describe('readAttendance', () => {
  it('counts the living processes of every role, and says how long work has none', async () => {
    await world.batchIn('ready');
    await kill(await start({ roles: ['submit', 'poll'] }));
    await start({ roles: ['web', 'poll'] });
    await pass(5 * MINUTE_MS);
    const found = await readAttendance(world.ledger, settingsFor());
    expect(found.filter(({ role }) => ['submit', 'poll', 'web'].includes(role))).toEqual([
      { role: 'submit', site: null, living: 0, silentMs: 300_000 },
      { role: 'poll', site: null, living: 1, silentMs: 0 },
      { role: 'web', site: null, living: 1, silentMs: 0 },
    ]);
  });
});
