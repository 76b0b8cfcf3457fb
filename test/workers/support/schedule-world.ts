import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ScheduleConfig } from '../../../schemas/config.ts';
import type { App } from '../../../src/app.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import type { Account, Folder, Settings } from '../../../src/config/config.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import { type Ledger, openLedger } from '../../../src/ledger/engine/open-ledger.ts';
import type { RunRow } from '../../../src/ledger/engine/records.ts';
import { checkFolders } from '../../../workers/watch/check-folders.ts';
import { type LogLine, logIntoLines } from '../../queue/support/queue-world.ts';
import { achRow, lines } from '../../support/payment-rows.ts';
import { openPipelineWorld, type PipelineWorld } from '../../support/pipeline-world.ts';

/** A schedule as written, without defaults. */
export type ScheduleText = { does: 'take' | 'day-close'; at: string } & Partial<ScheduleConfig> & { account?: string };

export type ScheduleWorld = PipelineWorld & {
  readonly clock: ReturnType<typeof handClock>;
  /** What the apps of this world have logged. */
  readonly logged: LogLine[];
  /** Returns an app with a manual clock and only these schedules and folders. */
  appWith(schedules: Record<string, ScheduleText>, folders?: readonly Folder[], account?: Partial<Account>): App;
  /** Returns the same app as on another host: another instance on the same database. */
  onAnotherHost(app: App): Promise<App>;
  /** Ends that host. */
  leave(app: App): Promise<void>;
  /** Makes a drop folder whose drops are complete with their marker. */
  makeFolder(id: string, change?: Partial<Folder>): Promise<Folder>;
  dropMarked(folder: Folder, name: string): Promise<void>;
  /** Returns every run of a schedule, by date. */
  runs(schedule: string): Promise<({ day: string } & Pick<RunRow, 'state' | 'tries' | 'summary'>)[]>;
};

/** The clock starts here, on a Monday. */
export const NOON = '2026-06-15T12:00:00.000Z';

export async function openScheduleWorld(): Promise<ScheduleWorld> {
  const world = await openPipelineWorld({ settings: { rescanMs: 60_000 } });
  await checkFolders(world.settings);
  const clock = handClock(NOON);
  const { log, lines: logged } = logIntoLines();
  const others = new Set<Ledger>();
  const base: App = { ...world.app, clock, log, ledger: { ...world.app.ledger, clock } };
  let rows = 0;
  return {
    ...world,
    clock,
    logged,
    appWith: (schedules, folders = [], account = {}) => {
      const accounts = new Map([...world.settings.accounts].map(([name, own]) => [name, { ...own, ...account }]));
      const parsed = Object.entries(schedules).map(([name, text]) => [name, ScheduleConfig.parse(text)]);
      const settings: Settings = { ...world.settings, accounts, folders, schedules: Object.fromEntries(parsed) };
      const folder = (id: string) => folders.find((one) => one.id === id);
      return { ...base, settings, folder, account: (name) => accounts.get(name)! };
    },
    onAnotherHost: async (app) => {
      const ledger = await openLedger({ url: world.settings.databaseUrl! }, { clock, log: silentLog() });
      others.add(ledger);
      return { ...app, ledger };
    },
    leave: async ({ ledger }) => {
      others.delete(ledger);
      await ledger.close();
    },
    makeFolder: async (id, change = {}) => {
      const path = join(world.root, id);
      await mkdir(path, { recursive: true });
      const complete = { by: 'marker', suffix: '.done' } as const;
      return { ...world.settings.folders[1]!, id, path, complete, ...change };
    },
    dropMarked: async (folder, name) => {
      rows += 1;
      await writeFile(join(folder.path, name), lines([achRow(rows)]));
      await writeFile(join(folder.path, `${name}.done`), '');
    },
    runs: async (schedule) => {
      const { rows: found } = await base.ledger.pool.query(
        `SELECT business_date::text AS day, state, tries, summary FROM schedule_run WHERE schedule = $1
         ORDER BY business_date`,
        [schedule],
      );
      return found;
    },
    close: async () => {
      for (const ledger of others) await ledger.close();
      await world.close();
    },
  };
}
