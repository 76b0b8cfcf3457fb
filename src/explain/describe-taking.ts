import type { App } from '../app.ts';
import { nextDate } from '../calendar/business-dates.ts';
import { formatInZone } from '../calendar/zone-time.ts';
import type { Folder } from '../config/config.ts';

/** Says in one sentence when a file dropped now will be taken from its folder. */
export function describeTaking({ settings, clock }: Pick<App, 'settings' | 'clock'>, folder: Folder): string {
  const { schedule: name, complete } = folder;
  const schedule = name === undefined ? undefined : settings.schedules[name];
  if (schedule) {
    const next = nextDate(schedule, clock.now());
    if (!next) return `Only the schedule "${name}" takes files from this folder, and it has no days left.`;
    return `The schedule "${name}" takes files from this folder, next at ${formatInZone(next.at, schedule.timeZone)}.`;
  }
  if (complete.by === 'marker') return 'It is taken at the next scan of the folder, within seconds.';
  const seconds = Math.max(1, Math.round(complete.quietMs / 1_000));
  return `It is taken after it is unchanged for ${seconds === 1 ? 'a second' : `${seconds} seconds`}.`;
}
