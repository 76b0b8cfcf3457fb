import { REPORT_TIMES } from '../../../schemas/reports.ts';
import { dayInZone, formatInZone } from '../../calendar/zone-time.ts';
import type { Account } from '../handlers/handler.ts';

/** How the server of an account writes and compares times in its reports. */
export type Face = {
  /** Whether range reports have the column `ACH Ref.`, which names the account at the bank; UK server only. */
  readonly hasBankReference: boolean;
  readonly timeZone: string;
  /** `06/15/2017 10:11:12`, or with the day first. */
  writeTime(at: Date): string;
  /** `2017-06-15T10:11:12` */
  writeXmlTime(at: Date): string;
  /** The calendar day, `2017-06-15`. */
  dayOf(at: Date): string;
};

/** Returns the face of an account's server; without a server, that of NA. */
export function faceOf({ server = 'NA' }: Pick<Account, 'server'>): Face {
  const { timeZone, order } = REPORT_TIMES[server];
  const xmlTime = (at: Date) => formatInZone(at, timeZone).slice(0, 19).replace(' ', 'T');
  return {
    hasBankReference: server === 'UK',
    timeZone,
    writeTime: (at) => {
      const [year, month, day] = dayInZone(at, timeZone).split('-');
      const date = order === 'day/month/year' ? `${day}/${month}/${year}` : `${month}/${day}/${year}`;
      return `${date} ${xmlTime(at).slice(11)}`;
    },
    writeXmlTime: xmlTime,
    dayOf: (at) => dayInZone(at, timeZone),
  };
}
