import type { AlarmFigures } from '../../ledger/alarm/find-alarm-causes.ts';
import type { FeatureAlarm } from '../../../workers/feature-work.ts';
import { minutesOf } from '../../../workers/upkeep/alarms/describe-alarm.ts';
import { SILENT_INTERVALS } from '../../../workers/upkeep/alarms/unattended.ts';
import { ageMs, localSubject, minutes } from '../../../workers/upkeep/raise-alarms.ts';
import { transferNames } from './start-transfers.ts';
import { transferHealth } from './transfer-health.ts';

/** A server that this process has not been able to use for several tries. */
export const transferAlarm: FeatureAlarm = {
  find: (app) =>
    [...transferHealth(app).broken].flatMap(([name, { since, everyMs, account }]) => {
      const brokenMs = ageMs(app, since);
      if (brokenMs < SILENT_INTERVALS * everyMs) return [];
      return [{ kind: 'transfer', subject: localSubject(app, name), account, figures: { minutes: minutes(brokenMs) } }];
    }),
  isOver: (app, name) => transferHealth(app).working.has(name) || !transferNames(app.settings).includes(name),
  describe: describeTransfer,
};

function describeTransfer(subject: string, figures: AlarmFigures): string {
  const [, way, what = subject] = /^(pull|push):(.*)$/.exec(subject) ?? [];
  const since = `was transferred for ${minutesOf(figures)}`;
  return way === 'pull'
    ? `Nothing ${since} from the SFTP server into folder ${what}. paydrop retries automatically.`
    : `No output ${since} to ${what}. paydrop retries automatically; the outputs stay here.`;
}
