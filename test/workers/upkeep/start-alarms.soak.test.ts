import { beforeEach, describe, expect, it } from 'vitest';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import { startHealth } from '../../../src/kernel/health.ts';
import { startWorkers } from '../../../workers/main.ts';
import { startAlarms, watchLedger } from '../../../workers/upkeep/start-alarms.ts';
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
