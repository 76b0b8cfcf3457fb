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
import { type LogLine, logIntoLines } from '../../queue/support/log-lines.ts';
import { achRow, lines } from '../../support/payment-rows.ts';
import { openPipelineWorld, type PipelineWorld } from '../../support/pipeline-world.ts';

/** A schedule as it is written, without what has a default. */
export type ScheduleText = { does: 'take' | 'day-close'; at: string } & Partial<ScheduleConfig> & { account?: string };

export type ScheduleWorld = PipelineWorld & {
  readonly clock: ReturnType<typeof handClock>;
  /** What the apps of this world have logged. */
  readonly logged: LogLine[];
  /** An app whose time is moved by hand, with these schedules and folders and no other. */
  appWith(schedules: Record<string, ScheduleText>, folders?: readonly Folder[], account?: Partial<Account>): App;
  /** The same app as another host would have it: another instance on the same database. */
  onAnotherHost(app: App): Promise<App>;
  /** That host goes. */
  leave(app: App): Promise<void>;
  /** A drop folder of its own, whose drops are complete with their marker. */
  makeFolder(id: string, change?: Partial<Folder>): Promise<Folder>;
  dropMarked(folder: Folder, name: string): Promise<void>;
  /** Every run of a schedule, in the order of its dates. */
  runs(schedule: string): Promise<({ day: string } & Pick<RunRow, 'state' | 'tries' | 'summary'>)[]>;
};

/** Stands at noon of a Monday in UTC first. */
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
