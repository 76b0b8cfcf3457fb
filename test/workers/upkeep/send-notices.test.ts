import { beforeEach, describe, expect, it } from 'vitest';
import { openedForTests } from '../support/step-world.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import { raiseAlarms } from '../../../src/ledger/alarm/raise-alarms.ts';
import { kindsOf, targetKey } from '../../../src/notify/tell.ts';
import { cutAtStatement } from '../support/failing-app.ts';
import { openAlarmWorld } from '../support/alarm-world.ts';
import { sendNotices } from '../../../workers/upkeep/start-alarms.ts';

const world = openedForTests(openAlarmWorld);
beforeEach(async () => {
  await world.app.ledger.pool.query('TRUNCATE alarm, alarm_delivery');
  world.mail.mails.length = 0;
  world.mail.refuse(undefined);
  world.hook.received.length = 0;
  world.hook.answer((response) => response.end());
});

/** Returns an app with its own clock and these alarms. */
async function withAlarms(...subjects: string[]) {
  const clock = handClock('2026-06-15T10:00:00.000Z');
  const watched = world.watched();
  const app = { ...watched, clock, ledger: { ...watched.ledger, clock } };
  const due = subjects.map((subject) => ({
    kind: 'file_held' as const,
    subject,
    account: 'main',
    figures: {},
    text: `File ${subject} waits.`,
  }));
  const audience = app.settings.alarms.map((target) => ({ key: targetKey(target), kinds: kindsOf(target) }));
  await raiseAlarms(app.ledger, due, audience, () => true);
  return { app, clock };
}

describe('sendNotices', () => {
  it('tells everybody once, all in one message', async () => {
    const { app } = await withAlarms('f', 'g');
    await sendNotices(app);
    await sendNotices(app);
    expect(world.mail.mails).toHaveLength(1);
    expect(world.mail.mails[0]!.text).toMatch(/File f waits\.[^]*File g waits\./);
    expect(world.hook.received).toHaveLength(1);
    expect(world.told()).toEqual(['raised file_held', 'raised file_held']);
    const { alarms } = JSON.parse(world.hook.received[0]!.body.toString());
    expect(new Set(alarms.map(({ alarmNo }: { alarmNo: number }) => alarmNo)).size).toBe(2);
  });

  it('does not let a target that hangs hold up the others, also at the next turns', async () => {
    const { app } = await withAlarms('f');
    let hanging: { end(): void } | undefined;
    world.hook.answer((response) => (hanging = response));
    const busy = new Set<string>();
    const first = sendNotices(app, busy);
    await expect.poll(() => world.mail.mails.length).toBe(1);
    await expect.poll(() => hanging).toBeDefined();
    await expect.poll(() => busy.size).toBe(1);
    await raiseAlarms(
      app.ledger,
      [{ kind: 'file_held', subject: 'g', account: 'main', figures: {}, text: 'File g waits.' }],
      app.settings.alarms.map((target) => ({ key: targetKey(target), kinds: kindsOf(target) })),
      () => false,
    );
    await sendNotices(app, busy);
    expect(world.mail.mails).toHaveLength(2);
    expect(world.hook.received).toHaveLength(1);
    hanging!.end();
    await first;
    expect(busy.size).toBe(0);
  });

  it('tries again later what was not taken, and tells the others nothing twice', async () => {
    const { app, clock } = await withAlarms('f');
    world.hook.answer((response) => response.writeHead(500).end());
    await sendNotices(app);
    await sendNotices(app);
    expect(world.hook.received).toHaveLength(1);
    const place = app.settings.alarms.findIndex(({ by }) => by === 'webhook') + 1;
    const noted = await app.ledger.pool.query(`SELECT subject FROM failing_work WHERE work = 'alarm'`);
    expect(noted.rows).toEqual([{ subject: expect.stringMatching(`^webhook-\\w+ \\(entry ${place} of alarms\\)$`) }]);
    world.hook.answer((response) => response.end());
    clock.advance(60_000);
    await sendNotices(app);
    expect(world.hook.received).toHaveLength(2);
    clock.advance(3_600_000);
    await sendNotices(app);
    expect(world.hook.received).toHaveLength(2);
    expect(world.mail.mails).toHaveLength(1);
  });

  it('tells again when it died before it could write down that it had told', async () => {
    const { app } = await withAlarms('f');
    const { app: dying, wasCut } = cutAtStatement(app, /ended_at = \$4/);
    await expect(sendNotices(dying)).rejects.toThrow('power cut');
    expect(wasCut()).toBe(true);
    await sendNotices(app);
    const times = world.mail.mails.length + world.hook.received.length;
    expect(times).toBeGreaterThanOrEqual(3);
    expect(world.mail.mails.length).toBeGreaterThan(0);
    expect(world.hook.received.length).toBeGreaterThan(0);
  });

  it('tells once when two processes send at the same time', async () => {
    const { app } = await withAlarms('f');
    await Promise.all([sendNotices(app), sendNotices(app)]);
    expect(world.mail.mails).toHaveLength(1);
    expect(world.hook.received).toHaveLength(1);
  });

  it('forgets whom nobody wants to be told any more', async () => {
    const { app } = await withAlarms('f');
    await sendNotices({ ...app, settings: { ...app.settings, alarms: app.settings.alarms.slice(0, 1) } });
    await sendNotices(app);
    expect(world.mail.mails).toHaveLength(1);
    expect(world.hook.received).toHaveLength(0);
  });
});
