import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ScheduleConfig } from '../../../schemas/config.ts';
import type { App } from '../../../src/app.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import type { Account, AlarmTarget, Folder, Settings } from '../../../src/config/config.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import { type Ledger, openLedger } from '../../../src/ledger/engine/open-ledger.ts';
import type { RunRow } from '../../../src/ledger/engine/records.ts';
import { checkFolders } from '../../../workers/watch/check-folders.ts';
import { logIntoLines, type LogLine } from '../../queue/support/queue-world.ts';
import { achRow, lines } from '../../support/payment-rows.ts';
import { openPipelineWorld, type PipelineWorld, type WorldOptions } from '../../support/pipeline-world.ts';
import { type MailServer, type Receiver, startMailServer, startReceiver } from '../../support/receiver.ts';

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

export type AlarmWorld = PipelineWorld & {
  mail: MailServer;
  hook: Receiver;
  /** Returns the world's app, which sends alarms of these kinds, or the default ones, to both targets. */
  watched(kinds?: AlarmTarget['kinds']): App;
  /** What the webhook received, as `event kind`. */
  told(): string[];
};

/** Opens a pipeline world with a mail server and a webhook on the loopback. */
export async function openAlarmWorld(options: WorldOptions = {}): Promise<AlarmWorld> {
  const world = await openPipelineWorld(options);
  const [mail, hook] = await Promise.all([startMailServer(), startReceiver()]);
  return {
    ...world,
    mail,
    hook,
    watched: (kinds) => {
      const wish = kinds ? { kinds } : {};
      const alarms: AlarmTarget[] = [
        { by: 'mail', smtpUrl: mail.url, from: 'paydrop@example.test', to: ['ann@example.test'], ...wish },
        { by: 'webhook', url: hook.url, secret: 'the key', ...wish },
      ];
      return { ...world.app, settings: { ...world.settings, alarms } };
    },
    told: () =>
      hook.received.flatMap(({ body }) => {
        const { alarms } = JSON.parse(body.toString()) as { alarms: { event: string; kind: string }[] };
        return alarms.map(({ event, kind }) => `${event} ${kind}`);
      }),
    close: async () => {
      await Promise.all([mail.close(), hook.close()]);
      await world.close();
    },
  };
}
