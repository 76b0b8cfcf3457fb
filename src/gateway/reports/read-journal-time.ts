import type { Server } from '../../../schemas/operations.ts';
import { REPORT_TIMES } from '../../../schemas/reports.ts';
import { momentsInZone } from '../../calendar/moments-in-zone.ts';
import type { JournalTime } from './report-answers.ts';

/**
 * Reads a time from a report: `06/15/2017 10:11:12`, with the day first on the UK server, or ISO 8601. Without an
 * offset it is in the server's time zone.
 */
export function readJournalTime(text: string, server: Server): JournalTime {
  const [, wall = '', offset] = ISO.exec(text) ?? [];
  if (offset !== undefined) return { text, utc: utcOf([new Date(wall + offset)]) };
  const moments = momentsInZone(wall === '' ? wallOf(text, server) : wall, REPORT_TIMES[server].timeZone);
  return { text, utc: utcOf(moments) };
}

const ISO = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?(Z|[+-]\d\d:\d\d)?$/;
const SLASHED = /^(\d{1,2})\/(\d{1,2})\/(\d{4}) (\d{1,2}:\d\d:\d\d)$/;

/** Returns `2017-06-15T10:11:12`, or a text that is no time either. */
function wallOf(text: string, server: Server): string {
  const [, first = '', second = '', year = '', time = ''] = SLASHED.exec(text) ?? [];
  const [month, day] = REPORT_TIMES[server].order === 'day/month/year' ? [second, first] : [first, second];
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}T${time.padStart(8, '0')}`;
}

function utcOf(moments: readonly Date[]): string | null {
  const [only, ...others] = moments;
  return only === undefined || others.length > 0 || Number.isNaN(only.getTime()) ? null : only.toISOString();
}
