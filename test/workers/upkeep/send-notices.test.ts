import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import { raiseAlarms } from '../../../src/ledger/alarm/raise-alarms.ts';
import type { DashboardSettings } from '../../../src/config/config-dashboard.ts';
import { kindsOf, targetKey } from '../../../src/notify/tell.ts';
import { cutAtStatement } from '../support/step-world.ts';
import { openAlarmWorld } from '../support/schedule-world.ts';
import { sendNotices } from '../../../workers/upkeep/start-alarms.ts';
import { ALARM_KINDS, type AlarmKind } from '../../../schemas/alarms.ts';
import { describeAlarm } from '../../../workers/upkeep/alarms/describe-alarm.ts';
import { type FailingWork, noteFailure } from '../../../src/ledger/alarm/note-failure.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { confirmVersion, retireVersion } from '../../../src/ledger/profile/move-profile.ts';
import { putDraft, SAMPLE } from '../../ledger/support/put-version.ts';
import { describeFailing, isUnread, readObstacles } from '../../../workers/upkeep/alarms/obstacles.ts';
import { openPipelineWorld } from '../../support/pipeline-world.ts';
import { FEATURES } from '../../../src/features.ts';
import { alarmsOf, workOf } from '../../../workers/feature-work.ts';

describe('sendNotices', () => {
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

  it('tells everybody once, all in one message', async () => {
    const { app } = await withAlarms('f', 'g');
    const dashboard = { url: 'https://pay.example.com' } as DashboardSettings;
    const shown = { ...app, settings: { ...app.settings, dashboard } };
    await sendNotices(shown);
    await sendNotices(shown);
    expect(world.mail.mails).toHaveLength(1);
    expect(world.mail.mails[0]!.text).toContain('https://pay.example.com/queue');
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

const ALARMS = alarmsOf(await workOf({ features: FEATURES }));
const FIGURES = { rows: 2, cents: 5_000, batches: 3, minutes: 4, code: 'DUPLICATE_ROW' };

function textOf(kind: AlarmKind, subject = 'f/1', account: string | null = 'main'): string {
  return describeAlarm({ kind, subject, account, figures: FIGURES }, undefined, ALARMS);
}

describe('describeAlarm', () => {
  it.each(Object.keys(ALARM_KINDS) as AlarmKind[])('is a sentence for %s', (kind) => {
    expect(textOf(kind)).toMatch(/^([A-Z]|f\/1: ).*\.$/);
    expect(textOf(kind)).not.toMatch(/undefined|null|NaN/);
    expect(describeAlarm({ kind, subject: 's', account: null, figures: {} }, undefined, ALARMS)).not.toMatch(
      /undefined|null|NaN/,
    );
  });

  it.each([
    ['batch_unknown', /^Batch f\/1: 2 rows, 50\.00 in doubt\..*"paydrop resolve f\/1"/],
    ['rows_undecided', /^Batch f\/1: 2 rows, 50\.00 undecided: .*"paydrop resolve f\/1"/],
    ['file_held', /2 rows, 50\.00: [^.]*\. "paydrop approve f\/1 --reason …"/],
    ['rows_withheld', /^File f\/1: 2 rows were withheld and not paid: 50\.00\. .*"paydrop why f\/1"/],
    ['account_stopped', /^Account main: 3 batches with 2 rows, 50\.00 wait\. "paydrop account list" shows why/],
    ['not_reached', /^Account f\/1: 3 batches with 2 rows, 50\.00 wait and are retried\./],
    ['silence', /^Folder f\/1 was not scanned for 4 minutes\.$/],
  ] as const)('says counts, totals and the command: %s', (kind, text) => {
    expect(textOf(kind)).toMatch(text);
  });

  it.each(Object.keys(ALARM_KINDS) as AlarmKind[])('makes words agree with one thing of each: %s', (kind) => {
    const figures = { rows: 1, cents: 5_000, batches: 1, minutes: 1, count: 2, unreadable: 1 };
    for (const subject of ['f', 'polls:main', 'pull:drop', 'push:bank']) {
      const text = describeAlarm({ kind, subject, account: 'main', figures }, undefined, ALARMS);
      expect(text).not.toMatch(/\b1 (?:\w+ )?(?:rows|batches|minutes|amounts)\b|\b1 [^:.]* (?:wait|are|do|were)\b/);
    }
  });

  it('says of less than a minute that it is no minute yet', () => {
    const silent = (figures: object) =>
      describeAlarm({ kind: 'silence', subject: 'drop/card', account: null, figures });
    expect(silent({ minutes: 0 })).toBe('Folder drop/card was not scanned for less than a minute.');
    expect(silent({ minutes: 1 })).toBe('Folder drop/card was not scanned for 1 minute.');
  });

  it('tells polls from folders, and all accounts from one', () => {
    expect(textOf('silence', 'polls:main')).toMatch(
      /^Account main: the service has 3 batches with 2 rows, 50\.00, and/,
    );
    expect(textOf('account_stopped', '*', null)).toMatch(/^All accounts: /);
  });

  it('does not offer to approve a file without a row that could be sent', () => {
    const figures = { rows: 0, cents: 0, code: 'POISON_FILE' };
    expect(describeAlarm({ kind: 'file_held', subject: 'f', account: 'main', figures })).toBe(
      'File f: 0 rows, 0.00: each of 3 attempts to read the file crashed the program or its reading thread. "paydrop decline f --reason …".',
    );
  });

  it('counts one as one', () => {
    const figures = { rows: 1, cents: 500, batches: 1, minutes: 1 };
    const said = (['account_stopped', 'not_reached', 'trouble'] as const).map((kind) =>
      describeAlarm({ kind, subject: 'main', account: 'main', figures }),
    );
    expect(said).toEqual([
      expect.stringContaining('1 batch with 1 row, 5.00 waits.'),
      expect.stringContaining('1 batch with 1 row, 5.00 waits and is retried.'),
      expect.stringContaining('for 1 minute.'),
    ]);
  });

  it('tells an expected file from a run', () => {
    expect(textOf('late', 'expect:drop/dues 2026-06-15')).toMatch(
      /in folder drop\/dues on 2026-06-15\. Ask the sender/,
    );
    expect(textOf('late', 'nightly 2026-06-15')).toMatch(/^The run of schedule nightly on 2026-06-15 was missed/);
  });

  it('sums a file that is done per outcome', () => {
    const outcomes = { approved: { rows: 1, cents: 2_500 }, declined: { rows: 1, cents: 2_500 } };
    const figures = { rows: 2, cents: 5_000, outcomes };
    const text = describeAlarm({ kind: 'file_done', subject: 'f', account: 'main', figures }, 'USD');
    expect(text).toBe(
      'File f: 2 rows, 50.00 USD; 1 row, 25.00 USD approved (charged or refunded); 1 row, 25.00 USD declined (refused by the service with a code).',
    );
  });
});

const quiet = openedForTests(openPipelineWorld);

const WORK: FailingWork = {
  work: 'poll',
  subject: 'f1/2',
  account: null,
  fileId: 'f1',
  batchNo: 2,
  name: 'june.csv',
  code: null,
  reason: 'no answer',
  failures: 4,
  since: new Date(0),
  lastAt: new Date(1),
};

describe('describeFailing', () => {
  it('says what, how often, why and what helps, with the batch in place', () => {
    expect(describeFailing(WORK)).toMatchObject({
      what: 'Cannot fetch the result of f1/2',
      name: 'june.csv',
      why: 'failed 4 times: no answer',
      step: expect.arrayContaining([{ action: 'repoll', fileId: 'f1', batchNo: 2 }]),
    });
    const sending = describeFailing({ ...WORK, work: 'submit', account: 'main', fileId: null, batchNo: null });
    expect(sending.step).toContainEqual({ action: 'pause', account: 'main' });
  });
});

describe('readObstacles', () => {
  it('is empty when all is well, and tells of failing work and of drops in quarantine', async () => {
    const { app, settings } = quiet;
    expect(await readObstacles(app.ledger, settings)).toEqual([]);
    const item = { work: 'watch', subject: 'drop/card', account: 'main' } as const;
    for (let n = 0; n < 3; n += 1) await noteFailure(app.ledger, item, { reason: 'it is away' }, 1_000);
    await mkdir(join(settings.paths.quarantine, 'x'), { recursive: true });
    const found = await readObstacles(app.ledger, settings);
    expect(found.map(({ key, what }) => [key, what])).toEqual([
      ['watch', 'Cannot take drops from folder drop/card'],
      ['quarantine', 'A drop is in quarantine'],
    ]);
    expect(found[0]!.next).toMatch(/the lines Folders and Permissions of "paydrop doctor"\.$/);
    expect(found[1]!.since).toBeInstanceOf(Date);
    await rm(settings.paths.quarantine, { recursive: true });
  });

  it('tells of folders whose profile reads nothing, and what is to be done', async () => {
    const { app, settings } = quiet;
    const told = async () => {
      const folders = settings.folders.slice(0, 2).map((folder) => ({ ...folder, profile: 'dues' }));
      const found = await readObstacles(app.ledger, { ...settings, folders });
      return found.filter((one) => isUnread(one, 'dues')).map(({ what, why, step }) => ({ what, why, step }));
    };
    const [ids, confirm] = [
      settings.folders.slice(0, 2).map(({ id }) => id),
      { action: 'confirm-profile', profile: 'dues' },
    ];
    const both = [{ action: 'import-profile', profile: 'dues' }, ', then ', confirm];
    const what = `Folders ${ids.join(', ')} take no files`;
    const why = (words: string) => `${words} (PROFILE_UNCONFIRMED)`;
    expect(await told()).toEqual([{ what, why: why('the profile dues was not imported'), step: both }]);
    const { profile_no: no } = await putDraft(app.ledger, 'dues');
    expect(await told()).toEqual([{ what, why: why('no version of the profile dues is confirmed'), step: [confirm] }]);
    const because = { actor: 'operator:grace', reason: 'the total agrees' };
    await transact(app.ledger, (tx) => confirmVersion(tx, no, SAMPLE, because));
    expect(await told()).toEqual([]);
    await retireVersion(app.ledger, no, because);
    expect(await told()).toEqual([{ what, why: why('the profile dues was retired'), step: both }]);
    const { profile_no: other } = await putDraft(app.ledger, 'dues');
    await transact(app.ledger, (tx) => confirmVersion(tx, other, { ...SAMPLE, cents: -500 }, because));
    expect(await told()).toMatchObject([
      { what, why: why('the profile dues was confirmed for refunds, not for charges') },
    ]);
  });
});
