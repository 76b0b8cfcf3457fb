import type { App } from '../../src/app.ts';
import { dueDates, type DueDate, type Timetable } from '../../src/calendar/business-dates.ts';
import type { Folder, Settings } from '../../src/config/config.ts';
import { dayInZone, startOfDay } from '../../src/calendar/zone-time.ts';
import { beginRun, finishRun, forgetEarlyMisses, missRun, seeSchedule } from '../../src/ledger/schedule/begin-run.ts';
import { countClaimed, readLastRun } from '../../src/ledger/schedule/read-runs.ts';

/** Returns the name under which the ledger keeps what is expected of a folder; no schedule can have it. */
export function expectationOf(folderId: string): string {
  return `${EXPECT}${folderId}`;
}

const EXPECT = 'expect:';

/** Returns the folder of such a name; undefined for the name of a schedule. */
export function expectedFolder(name: string): string | undefined {
  return name.startsWith(EXPECT) ? name.slice(EXPECT.length) : undefined;
}

/** Returns when a file of the folder must be here; undefined when none is expected. */
export function expectedTimes(
  { accounts }: Pick<Settings, 'accounts'>,
  { expect, account }: Folder,
): Timetable | undefined {
  const timeZone = accounts.get(account)?.timeZone ?? 'UTC';
  return expect && { at: expect.by, timeZone, days: expect.days, holidays: expect.holidays };
}

/**
 * Records for each folder and business date whether the expected file arrived in time. If not, exactly one process
 * reports it, once.
 */
export async function checkExpected(app: App): Promise<void> {
  for (const folder of app.settings.folders) {
    const times = expectedTimes(app.settings, folder);
    if (times) await checkFolder(app, folder, times);
  }
}

async function checkFolder(app: App, folder: Folder, times: Timetable): Promise<void> {
  const name = expectationOf(folder.id);
  const since = await seeSchedule(app.ledger, name, JSON.stringify(times), 0);
  await forgetEarlyMisses(app.ledger, name);
  const last = await readLastRun(app.ledger, name, dayInZone(app.clock.now(), times.timeZone));
  for (const due of dueDates(times, since, app.clock.now(), last?.business_date)) await judge(app, folder, times, due);
}

async function judge(app: App, folder: Folder, times: Timetable, due: DueDate): Promise<void> {
  const name = expectationOf(folder.id);
  const from = startOfDay(due.day, times.timeZone) ?? due.at;
  const files = await countClaimed(app.ledger, [folder.id], from, due.at);
  const actor = 'worker:schedule';
  if (files > 0) {
    const reason = 'the expected file has arrived';
    const run = await beginRun(app.ledger, name, due, { actor, reason });
    if (run) await finishRun(app.ledger, run, 'done', { actor, reason }, { files });
    return;
  }
  const reason = `no file was taken from "${folder.id}" by ${times.at} on ${due.day}`;
  if (await missRun(app.ledger, name, due, { actor, reason }))
    app.log.error({ account: folder.account, folder: folder.id, day: due.day }, `an expected file is late: ${reason}`);
}
