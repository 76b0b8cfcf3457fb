import { describe, expect, it } from 'vitest';
import type { Role } from '../../../schemas/jobs.ts';
import type { App } from '../../../src/app.ts';
import { openLedger } from '../../../src/ledger/engine/open-ledger.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import { sendNotices } from '../../../workers/upkeep/start-alarms.ts';
import { checkFolders } from '../../../workers/watch/check-folders.ts';
import { takeIn } from '../support/story.ts';
import { forceSql } from '../../support/force-sql.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import { startHealth } from '../../../src/kernel/health.ts';
import { noteFailure } from '../../../src/ledger/alarm/note-failure.ts';
import { pauseAccount, resumeAccount } from '../../../src/ledger/account/pause-account.ts';
import { missRun, seeSchedule } from '../../../src/ledger/schedule/begin-run.ts';
import { expectationOf } from '../../../workers/schedule/check-expected.ts';
import {
  findLocalCauses,
  findTrouble,
  isLocalSubject,
  isOverHere,
  localSubject,
  lookForAlarms,
} from '../../../workers/upkeep/raise-alarms.ts';
import { SILENT_INTERVALS } from '../../../workers/upkeep/alarms/unattended.ts';
import { putConfirmed } from '../../ledger/support/put-version.ts';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { openAlarmWorld } from '../support/schedule-world.ts';
import { openPipelineWorld } from '../../support/pipeline-world.ts';

const world = openedForTests(openAlarmWorld);

const BECAUSE = { actor: 'operator:ann', reason: 'to see' };

/** Returns every alarm by kind, and whether it lasts. */
async function alarms(): Promise<string[]> {
  const { rows } = await world.app.ledger.pool.query<{ kind: string; open: boolean }>(
    'SELECT kind, cleared_at IS NULL AS open FROM alarm ORDER BY alarm_no',
  );
  return rows.map(({ kind, open }) => `${kind}${open ? ' lasts' : ''}`);
}

/** The tests build on each other. */
describe('lookForAlarms', () => {
  it('finds nothing where all is well', async () => {
    await lookForAlarms(world.watched());
    expect(await alarms()).toEqual([]);
  });

  it('raises what needs attention, once, and clears it', async () => {
    await world.drop('card', 'twice.csv', lines([cardRow(3), cardRow(3)]));
    await world.finish();
    await pauseAccount(world.app.ledger, 'main', BECAUSE);
    const app = world.watched();
    await lookForAlarms(app);
    await lookForAlarms(app);
    expect((await alarms()).toSorted()).toEqual(['account_stopped lasts', 'file_held lasts']);
    await resumeAccount(world.app.ledger, 'main', BECAUSE);
    await lookForAlarms(app);
    expect((await alarms()).toSorted()).toEqual(['account_stopped', 'file_held lasts']);
  });

  it('tells of a file that is done only when somebody asks for it', async () => {
    await world.drop('card', 'good.csv', lines([cardRow(1)]));
    await world.drop('card', 'bad.csv', 'a,b\n');
    await world.finish();
    await lookForAlarms(world.watched());
    expect(await alarms()).toContain('file_refused');
    expect(await alarms()).not.toContain('file_done');
    await lookForAlarms(world.watched(['file_done']));
    await lookForAlarms(world.watched(['file_done']));
    expect((await alarms()).filter((kind) => kind === 'file_done')).toHaveLength(1);
  });

  it('tells once of each version of a profile that begins to read the files of a folder', async () => {
    const base = world.watched(['profile_changed']);
    const folders = base.settings.folders.map((folder, at) => (at === 0 ? { ...folder, profile: 'dues' } : folder));
    const app = { ...base, settings: { ...base.settings, folders } };
    for (const text of ['first', 'second']) {
      await putConfirmed(app.ledger, 'dues', text);
      await lookForAlarms(app);
      await lookForAlarms(app);
    }
    const { rows } = await app.ledger.pool.query<{ text: string }>(
      "SELECT text FROM alarm WHERE kind = 'profile_changed' ORDER BY alarm_no",
    );
    expect(rows.map(({ text }) => text)).toEqual([
      'Version 1 of profile dues reads the files of folder drop/card. "paydrop profile show dues" shows it and who confirmed it.',
      'Version 2 of profile dues reads the files of folder drop/card in place of version 1. "paydrop profile diff dues 1 2" shows what changed, "paydrop profile show dues" who confirmed it.',
    ]);
  });

  it('holds nothing of a row nor a name', async () => {
    const { rows } = await world.app.ledger.pool.query('SELECT text, figures FROM alarm');
    expect(rows.length).toBeGreaterThan(3);
    expect(JSON.stringify(rows)).not.toMatch(/\.csv|\d{12,}|C-\d+/);
  });

  it('tells of an expected file that has not come, until it leaves the configuration', async () => {
    const base = world.watched(['late']);
    const [first, ...others] = base.settings.folders;
    const expecting = { ...first!, expect: { by: '18:00', days: [], holidays: [] } };
    const app = { ...base, settings: { ...base.settings, folders: [expecting, ...others] } };
    const name = expectationOf(first!.id);
    await seeSchedule(app.ledger, name, '{}', 0);
    await missRun(app.ledger, name, { day: '2026-06-15', at: app.clock.now() }, BECAUSE);
    await lookForAlarms(app);
    expect(await alarms()).toContain('late lasts');
    await lookForAlarms(base);
    expect(await alarms()).not.toContain('late lasts');
  });

  it('says of failing work which folder it is about, and no name of a file', async () => {
    const app = world.watched(['failing']);
    const { archive, out } = app.settings.paths;
    const reasons = {
      watch: `Cannot list the folder "${app.settings.folders[0]!.path}": paydrop cannot write to a folder`,
      intake: `Cannot write into the archive folder "${archive}/2026/06/15": a file has its name`,
      deliver: `Cannot write "${out}/may 4222222222222220.csv" in "${out}": the disk is full`,
    };
    for (const [work, reason] of Object.entries(reasons) as [keyof typeof reasons, string][])
      for (let n = 0; n < 3; n += 1) await noteFailure(app.ledger, { work, subject: 'x' }, { reason }, 60_000);
    await lookForAlarms(app);
    const { rows } = await app.ledger.pool.query<{ text: string }>(
      "SELECT text FROM alarm WHERE kind = 'failing' AND cleared_at IS NULL ORDER BY subject",
    );
    const [deliver, intake, watch] = rows.map(({ text }) => text);
    expect(watch).toContain(reasons.watch);
    expect(intake).toContain(reasons.intake);
    expect(deliver).toContain(`Cannot write "…" in "${out}": the disk is full`);
    expect(deliver).not.toMatch(/4222|may/);
    await app.ledger.pool.query('DELETE FROM failing_work');
  });

  it('leaves to another host what is its own', async () => {
    const clock = handClock(new Date(world.app.clock.now().getTime()));
    const silent = { ...world.watched(['silence']), clock, health: startHealth(clock) };
    silent.health.noteWatch(world.settings.folders.map(({ id }) => id));
    clock.advance(3_600_000);
    await lookForAlarms(silent);
    expect((await alarms()).filter((kind) => kind === 'silence lasts')).toHaveLength(3);
    await world.app.ledger.pool.query(
      `UPDATE alarm SET subject = replace(subject, '@', '@not-') WHERE subject LIKE 'drop/card@%'`,
    );
    for (const { id } of world.settings.folders) silent.health.noteListing(id);
    await lookForAlarms(silent);
    expect((await alarms()).filter((kind) => kind === 'silence lasts')).toHaveLength(1);
  });
});

const quiet = openedForTests(() => openPipelineWorld({ settings: { rescanMs: 60_000, sweepMs: 20_000 } }));

function atStart() {
  const clock = handClock('2026-06-15T10:00:00.000Z');
  const health = startHealth(clock);
  health.noteWatch(quiet.settings.folders.map(({ id }) => id));
  return { app: { ...quiet.app, clock, health }, clock };
}

describe('findLocalCauses', () => {
  it('leaves folders alone that this process does not watch', () => {
    const { app, clock } = atStart();
    clock.advance(SILENT_INTERVALS * 60_000);
    expect(findLocalCauses({ ...app, health: startHealth(app.clock) })).toEqual([]);
    expect(findLocalCauses(app)).toHaveLength(quiet.settings.folders.length);
  });

  it('finds a folder that was not listed for three intervals, and not before', () => {
    const { app, clock } = atStart();
    clock.advance(SILENT_INTERVALS * 60_000 - 1);
    expect(findLocalCauses(app)).toEqual([]);
    for (const { id } of quiet.settings.folders.slice(1)) app.health.noteListing(id);
    clock.advance(1);
    expect(findLocalCauses(app)).toEqual([
      { kind: 'silence', subject: localSubject(app, 'drop/card'), account: 'main', figures: { minutes: 3 } },
    ]);
    app.health.noteListing('drop/card');
    expect(findLocalCauses(app)).toEqual([]);
  });

  it('finds a queue that does not answer for three sweeps', () => {
    const { app, clock } = atStart();
    app.health.noteTrouble('QUEUE_UNREACHABLE');
    expect(findLocalCauses(app)).toEqual([]);
    clock.advance(60_000);
    expect(findLocalCauses(app)).toEqual([
      { kind: 'trouble', subject: localSubject(app, 'queue'), account: null, figures: { minutes: 1 } },
    ]);
    app.health.noteSweep();
    expect(findLocalCauses(app)).toEqual([]);
  });
});

describe('findTrouble', () => {
  it('tells ledger from queue', () => {
    const { app, clock } = atStart();
    app.health.noteTrouble('LEDGER_UNREACHABLE');
    clock.advance(60_000);
    expect(findTrouble(app, 'LEDGER_UNREACHABLE', 'ledger', app.health.trouble)).toHaveLength(1);
    expect(findTrouble(app, 'QUEUE_UNREACHABLE', 'queue', app.health.trouble)).toEqual([]);
  });
});

describe('isLocalSubject', () => {
  it('tells what a host has seen from what stands in the ledger', () => {
    expect(isLocalSubject(localSubject(quiet.app, 'drop/card'))).toBe(true);
    expect(isLocalSubject('batch:3-1')).toBe(false);
    expect(localSubject(quiet.app, 'x')).not.toContain(String(process.pid));
  });
});

describe('isOverHere', () => {
  const here = (thing: string) => localSubject(quiet.app, thing);

  it('leaves alone what is of another host', () => {
    const { app } = atStart();
    app.health.noteListing('drop/card');
    expect(isOverHere(app, 'silence', 'drop/card@elsewhere')).toBe(false);
    expect(isOverHere(app, 'silence', here('drop/card'))).toBe(true);
  });

  it('leaves to the process that does the work, what goes wrong on the same host', () => {
    const { app } = atStart();
    expect(isOverHere(app, 'silence', here('drop/card'))).toBe(false);
  });

  it('takes what left the configuration for over', () => {
    const { app } = atStart();
    expect(isOverHere(app, 'silence', here('drop/gone'))).toBe(true);
  });

  it('waits for a sweep that succeeded', () => {
    const { app } = atStart();
    expect(isOverHere(app, 'trouble', here('queue'))).toBe(false);
    app.health.noteSweep();
    expect(isOverHere(app, 'trouble', here('queue'))).toBe(true);
    app.health.noteTrouble('QUEUE_UNREACHABLE');
    expect(isOverHere(app, 'trouble', here('queue'))).toBe(false);
  });
});

describe('lookForAlarms in a process without the roles that are missing', () => {
  const clock = handClock('2026-06-15T10:00:00Z');
  const watching = openedForTests(() => openAlarmWorld({ clock }));
  const presence = (...roles: Role[]) => ({
    site: 'main',
    roles: new Set(roles),
    stays: true,
    listedMs: () => undefined,
  });

  /** Returns the alarms about roles, and whether each lasts. */
  async function missed(): Promise<{ subject: string; text: string; lasts: boolean }[]> {
    const { rows } = await watching.app.ledger.pool.query(
      `SELECT subject, text, cleared_at IS NULL AS lasts FROM alarm WHERE kind = 'silence' ORDER BY alarm_no`,
    );
    return rows;
  }

  /** Starts and kills a process that lists the folders. The process of the alarms lives on, and looks. */
  async function loseWatcher(app: App): Promise<void> {
    const other = await openLedger({ url: watching.settings.databaseUrl! }, { clock, log: silentLog() });
    await other.instance.announce(presence('watch', 'deliver'));
    await other.close();
    clock.advance(120_000);
    await app.ledger.instance.announce(presence('web'));
    await lookForAlarms(app);
  }

  it('raises an alarm, sends it, and clears it when a process has the role again', async () => {
    const app = watching.watched(['silence']);
    await app.ledger.instance.announce(presence('web'));
    await loseWatcher(app);
    const host = app.ledger.instance.host;
    expect(await missed()).toEqual([
      {
        subject: 'role:watch at main',
        text: `No process at site main takes drops: the last one with the role watch, on ${host}, gave its last sign of life 2 min ago; 3 drop folders wait to be listed. Start a process with the role watch at site main: "paydrop start --roles watch --site main", or "paydrop start" for all roles. If it was running, its log says why it ended. Nothing is lost or sent twice meanwhile.`,
        lasts: true,
      },
    ]);
    await sendNotices(app);
    expect(watching.told()).toEqual(['raised silence']);
    await app.ledger.instance.announce(presence('web'));
    const other = await openLedger({ url: watching.settings.databaseUrl! }, { clock, log: silentLog() });
    await other.instance.announce(presence('watch'));
    await lookForAlarms(app);
    expect((await missed()).map(({ lasts }) => lasts)).toEqual([false]);
    await other.close();
  });

  it('neither raises nor clears one in the first two minutes after it joined: others may be returning, too', async () => {
    const app = watching.watched(['silence']);
    await loseWatcher(app);
    expect((await missed()).map(({ lasts }) => lasts)).toEqual([false, true]);
    const joinedNow = (): App => {
      const at = clock.now();
      return { ...app, ledger: { ...app.ledger, instance: { ...app.ledger.instance, joinedAt: () => at } } };
    };
    await lookForAlarms(joinedNow());
    expect((await missed()).map(({ lasts }) => lasts)).toEqual([false, true]);
    await app.ledger.pool.query("UPDATE alarm SET cleared_at = now() WHERE kind = 'silence'");
    await lookForAlarms(joinedNow());
    expect(await missed()).toHaveLength(2);
    await lookForAlarms(app);
    expect(await missed()).toHaveLength(3);
  });

  it('does not say a second time that results are not asked for', async () => {
    const app = watching.watched(['silence']);
    const { pool } = app.ledger;
    const before = await missed();
    await checkFolders(app.settings);
    await takeIn(app, 'drop/card', lines([cardRow(7)]));
    await forceSql(app, "UPDATE batch SET state = 'submitted', batch_id = 'B1', next_poll_at = $1", [clock.now()]);
    await pool.query("DELETE FROM process WHERE 'poll' = ANY (roles)");
    clock.advance(600_000);
    await lookForAlarms(app);
    expect((await missed()).slice(before.length).map(({ subject }) => subject)).toEqual([
      'role:poll',
      'role:deliver at main',
    ]);
  });
});
