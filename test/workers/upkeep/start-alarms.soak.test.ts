import { beforeEach, describe, expect, it } from 'vitest';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { pauseAccount } from '../../../src/ledger/account/pause-account.ts';
import { addDays } from '../../../src/calendar/calendar.ts';
import { dayInZone } from '../../../src/calendar/zone-time.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import { startHealth } from '../../../src/kernel/health.ts';
import { invitePerson } from '../../../src/ledger/person/invite-person.ts';
import { saveNotifyRule } from '../../../src/ledger/person/people.ts';
import { startWorkers } from '../../../workers/main.ts';
import { sendNotices, startAlarms, watchLedger } from '../../../workers/upkeep/start-alarms.ts';
import { lookForAlarms } from '../../../workers/upkeep/raise-alarms.ts';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { openAlarmWorld } from '../support/schedule-world.ts';

const world = openedForTests(() => openAlarmWorld({ settings: { sweepMs: 50 } }));
beforeEach(() => {
  world.hook.received.length = 0;
  world.hook.answer((response) => response.end());
});

describe('startAlarms', () => {
  it('tells of a held file while the workers run, and of nothing after they stopped', async () => {
    const workers = await startWorkers(world.watched());
    await world.drop('card', 'twice.csv', lines([cardRow(3), cardRow(3)]));
    await expect.poll(() => world.told()).toContain('raised file_held');
    await workers.stop();
    const { length } = world.hook.received;
    await world.app.ledger.pool.query(`INSERT INTO account_stop VALUES ('main', 'to see', now())`);
    expect(world.hook.received).toHaveLength(length);
    expect(world.mail.mails.some(({ text }) => text.includes('a file needs approval'))).toBe(true);
  });

  it('does nothing when nobody is to be told', async () => {
    const broken = { ...world.app, ledger: undefined as never };
    await startAlarms(broken).stop();
    expect(world.told()).toEqual([]);
  });
});

describe('watchLedger', () => {
  it('tells directly, once to each, until it answers again', async () => {
    const clock = handClock('2026-06-15T10:00:00.000Z');
    const app = { ...world.watched(), clock, health: startHealth(clock) };
    const look = watchLedger(app);
    app.health.noteTrouble('LEDGER_UNREACHABLE');
    await look();
    expect(world.told()).toEqual([]);
    clock.advance(180_000);
    world.hook.answer((response) => response.writeHead(500).end());
    await look();
    world.hook.answer((response) => response.end());
    await look();
    await look();
    expect(world.told()).toEqual(['raised trouble', 'raised trouble']);
    app.health.noteSweep();
    await expect
      .poll(() => look().then(() => world.told()))
      .toEqual(['raised trouble', 'raised trouble', 'cleared trouble']);
    app.health.noteTrouble('LEDGER_UNREACHABLE');
    clock.advance(180_000);
    await look();
    expect(world.told()).toHaveLength(4);
  });

  it('tells of a ledger that leaves a question without an answer, and of its answer', async () => {
    const clock = handClock('2026-06-15T10:00:00.000Z');
    const watched = world.watched();
    const asked: (() => void)[] = [];
    const pool = { query: () => new Promise<void>((resolve) => asked.push(resolve)) };
    const look = watchLedger({ ...watched, clock, ledger: { ...watched.ledger, pool: pool as never } });
    await look();
    await look();
    expect([asked.length, world.told()]).toEqual([1, []]);
    clock.advance(180_000);
    await look();
    expect(world.told()).toEqual(['raised trouble']);
    expect(String(world.hook.received.at(-1)?.body)).toContain('It does not answer.');
    asked[0]!();
    await expect.poll(() => look().then(() => world.told())).toEqual(['raised trouble', 'cleared trouble']);
  });
});

describe('mails of a day, and to users', () => {
  const BECAUSE = { actor: 'operator:ann', reason: 'to see' };
  const daily = openedForTests(openAlarmWorld);

  it('writes the daily mail once to each target that asks for it, from its time on in the zone of the accounts', async () => {
    await daily.drop('card', 'twice.csv', lines([cardRow(3), cardRow(3)]));
    await daily.drop('card', 'good.csv', lines([cardRow(1)]));
    await daily.finish();
    const base = daily.watched([]);
    const main = base.settings.accounts.get('main')!;
    const today = dayInZone(base.ledger.clock.now(), 'Etc/GMT+4');
    const clock = handClock(`${addDays(today, 1)}T10:59:00.000Z`);
    const app = {
      ...base,
      clock,
      ledger: { ...base.ledger, clock },
      settings: {
        ...base.settings,
        accounts: new Map([['main', { ...main, timeZone: 'Etc/GMT+4' }]]),
        alarms: base.settings.alarms.map((target) => (target.by === 'mail' ? { ...target, digest: '07:00' } : target)),
      },
    };
    const digests = async () => {
      await lookForAlarms(app);
      const { rows } = await app.ledger.pool.query<{ text: string; targets: string[] }>(
        `SELECT text, array_agg(target) AS targets FROM alarm JOIN alarm_delivery USING (alarm_no)
         WHERE kind = 'digest' GROUP BY alarm_no ORDER BY alarm_no`,
      );
      return rows;
    };
    expect(await digests()).toEqual([]);
    clock.advance(60_000);
    const [first, ...others] = await digests();
    expect([first!.targets, others]).toEqual([[expect.stringMatching(/^mail-/)], []]);
    expect(first!.text).toContain('- a file needs approval, main: 1 (2 payments, 50.00 USD)');
    expect(first!.text).toMatch(
      /main on \S+: received 1 file with 1 payment, 25\.00 USD; approved 1 payment, 25\.00 USD;/,
    );
    expect(first!.text).toContain('The day balances.');
    clock.advance(3_600_000);
    expect(await digests()).toHaveLength(1);
    clock.advance(86_400_000);
    expect(await digests()).toHaveLength(2);
  });

  it('tells a user with a confirmed address what they chose, and only of their accounts', async () => {
    const { ledger } = daily.app;
    const link = { tokenHash: Buffer.from('x'), expiresAt: new Date() };
    const rules = { ann: ['main'], bob: ['other'], eve: [], una: [] };
    for (const [name, accounts] of Object.entries(rules)) {
      await invitePerson(ledger, { name, role: 'viewer' }, { ...link, tokenHash: Buffer.from(name) }, BECAUSE);
      const confirm = { tokenHash: 'x', expiresAt: '2999' };
      const rule = { mail: `${name}@example.test`, kinds: ['account_stopped'] as const, accounts };
      await saveNotifyRule(ledger, name, name === 'una' ? { ...rule, confirm } : rule);
    }
    await daily.app.ledger.pool.query(`UPDATE person SET disabled_at = now() WHERE name = 'eve'`);
    const app = daily.watched(['file_refused']);
    daily.mail.mails.length = 0;
    await pauseAccount(ledger, 'main', BECAUSE);
    await lookForAlarms(app);
    await sendNotices(app);
    expect(daily.mail.mails.map(({ to }) => to)).toEqual([['ann@example.test']]);
    expect(daily.mail.mails[0]!.text).toContain('an account is stopped');
  });
});
