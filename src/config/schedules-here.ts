import type { ScheduleConfig } from '../../schemas/config.ts';
import { HOME_SITE } from '../../schemas/jobs.ts';
import type { Settings } from './config.ts';

type Places = Pick<Settings, 'schedules' | 'folders' | 'site'>;

/**
 * Returns where a schedule runs: at the site of its folders, which findConfigFaults limits to one. A day close runs at
 * the site of the account's first folder, next to its other outputs.
 */
export function siteOfSchedule({ schedules, folders }: Omit<Places, 'site'>, name: string): string {
  const schedule = schedules[name];
  const folder =
    schedule?.does === 'day-close'
      ? folders.find(({ account }) => account === schedule.account)
      : folders.find((one) => one.schedule === name);
  return folder?.site ?? HOME_SITE;
}

/** Returns the schedules of the site of this process. */
export function schedulesHere(settings: Places): [name: string, schedule: ScheduleConfig][] {
  return Object.entries(settings.schedules).filter(([name]) => siteOfSchedule(settings, name) === settings.site);
}
