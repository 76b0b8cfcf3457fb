import { expect, it } from 'vitest';
import { FolderConfig, ScheduleConfig } from '../../schemas/config.ts';
import { addDays } from '../../src/calendar/calendar.ts';
import type { Folder, Settings } from '../../src/config/config.ts';
import { describeTaking } from '../../src/explain/describe-taking.ts';
import { handClock } from '../../src/kernel/clock.ts';
import { upTo } from '../support/payment-rows.ts';

const NIGHT = ScheduleConfig.parse({ does: 'take', at: '22:00', timeZone: 'America/Toronto' });
const MONDAYS = upTo(600).map((week) => addDays('2026-06-08', week * 7));
const NEVER = ScheduleConfig.parse({ does: 'take', at: '22:00', days: ['mon'], holidays: MONDAYS });

it.each([
  [{ complete: { by: 'quiet', quietMs: 10_000 } }, 'It is taken after it is unchanged for 10 seconds.'],
  [{ complete: { by: 'quiet', quietMs: 60 } }, 'It is taken after it is unchanged for a second.'],
  [{ complete: { by: 'marker' } }, 'It is taken at the next scan of the folder, within seconds.'],
  [{ schedule: 'night' }, 'The schedule "night" takes files from this folder, next at 2026-06-15 22:00:00 -04:00.'],
  [{ schedule: 'never' }, 'Only the schedule "never" takes files from this folder, and it has no days left.'],
])('describeTaking of a folder with %j', (settings, sentence) => {
  const folder = FolderConfig.parse({ path: 'drop', account: 'main', operation: 'card', ...settings });
  const schedules: Settings['schedules'] = { night: NIGHT, never: NEVER };
  const app = { settings: { schedules } as Settings, clock: handClock('2026-06-15T10:00:00Z') };
  expect(describeTaking(app, folder as Folder)).toBe(sentence);
});
