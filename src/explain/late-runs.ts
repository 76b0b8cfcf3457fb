import { expectationOf, expectedTimes } from '../../workers/schedule/check-expected.ts';
import type { Settings } from '../config/config.ts';
import { startOfDay } from '../calendar/zone-time.ts';
import type { Ledger } from '../ledger/engine/open-ledger.ts';
import { countClaimed, listLateRuns } from '../ledger/schedule/read-runs.ts';
import type { RunRow } from '../ledger/engine/records.ts';

/** Runs that were missed or failed, and expected files that have not arrived yet. */
export type LateRuns = {
  lateRuns: { schedule: string; day: string; state: string; dueAt: Date; says: string }[];
  missingFiles: { folder: string; account: string; day: string; by: string }[];
};

/** How far back late runs are shown, in ms; the audit trail has all of them. */
const SHOWN_MS = 7 * 86_400_000;

export async function readLateRuns(
  ledger: Ledger,
  settings: Pick<Settings, 'accounts' | 'folders' | 'schedules'>,
): Promise<LateRuns> {
  const late = await listLateRuns(ledger, new Date(ledger.clock.now().getTime() - SHOWN_MS));
  const lateRuns = late.filter((run) => Object.hasOwn(settings.schedules, run.schedule)).map(toLateRun);
  const missingFiles: LateRuns['missingFiles'] = [];
  for (const folder of settings.folders) {
    const times = expectedTimes(settings, folder);
    if (!times) continue;
    for (const { business_date: day, due_at } of late.filter((run) => run.schedule === expectationOf(folder.id))) {
      const from = startOfDay(day, times.timeZone) ?? due_at;
      // A file that arrived late is no longer missing.
      if ((await countClaimed(ledger, [folder.id], from, ledger.clock.now())) > 0) continue;
      missingFiles.push({ folder: folder.id, account: folder.account, day, by: times.at });
    }
  }
  return { lateRuns, missingFiles };
}

function toLateRun(run: RunRow): LateRuns['lateRuns'][number] {
  const { schedule, business_date: day, state, due_at: dueAt, summary } = run;
  return { schedule, day, state, dueAt, says: summary.says ?? '' };
}

export function isLate({ lateRuns, missingFiles }: LateRuns): boolean {
  return lateRuns.length + missingFiles.length > 0;
}
