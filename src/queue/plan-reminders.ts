import { type CalendarConfig, WEEKDAYS } from '../../schemas/config.ts';
import type { NamedQueue } from './named-queue.ts';

/** When to remind a schedule of itself: a time in its zone, on days of the week. */
export type Reminder = {
  readonly schedule: string;
  readonly at: string;
  readonly timeZone: string;
  readonly days: CalendarConfig['days'];
};

/**
 * Replaces BullMQ's job schedulers by one for each reminder in the configuration. They ignore holidays, and in nights
 * of clock changes they may fire at another minute, or twice. The receiver checks the ledger.
 */
export async function planReminders(queue: NamedQueue, reminders: readonly Reminder[]): Promise<void> {
  const wanted = new Set(reminders.map((reminder) => reminder.schedule));
  for (const { key } of await queue.getJobSchedulers()) if (!wanted.has(key)) await queue.removeJobScheduler(key);
  for (const { schedule, timeZone, ...when } of reminders) {
    const template = { name: 'schedule', data: { schedule } };
    await queue.upsertJobScheduler(schedule, { pattern: patternOf(when), tz: timeZone }, template);
  }
}

/** Writes a cron pattern: second, minute, hour, day, month, day of the week with Sunday as 0. */
function patternOf({ at, days }: Pick<Reminder, 'at' | 'days'>): string {
  const [hour, minute] = at.split(':').map(Number);
  const weekdays = days.map((day) => (WEEKDAYS.indexOf(day) + 1) % 7);
  return `0 ${minute} ${hour} * * ${weekdays.join(',')}`;
}
