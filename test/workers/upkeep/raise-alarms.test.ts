import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { handClock } from '../../../src/kernel/clock.ts';
import { startHealth } from '../../../src/kernel/health.ts';
import { noteFailure } from '../../../src/ledger/alarm/note-failure.ts';
import { pauseAccount, resumeAccount } from '../../../src/ledger/account/pause-account.ts';
import { missRun, seeSchedule } from '../../../src/ledger/schedule/begin-run.ts';
import { expectationOf } from '../../../workers/schedule/check-expected.ts';
import { lookForAlarms } from '../../../workers/upkeep/raise-alarms.ts';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { type AlarmWorld, openAlarmWorld } from '../support/alarm-world.ts';

let world: AlarmWorld;
beforeAll(async () => {
  world = await openAlarmWorld();
});
afterAll(() => world.close());

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

  it('raises what waits for a person, once, and clears it', async () => {
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
      watch: `Cannot list the folder "${app.settings.folders[0]!.path}": a folder cannot be written`,
      intake: `Cannot write into the archive folder "${archive}/2026/06/15": a file stands in its place`,
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
