import { describe, expect, it } from 'vitest';
import { formatInZone, momentsInZone } from '../../src/calendar/zone-time.ts';

const VANCOUVER = 'America/Vancouver';
const LONDON = 'Europe/London';

describe('momentsInZone', () => {
  it.each<[string, string, string[]]>([
    ['UTC', '2026-06-15T10:11:12', ['2026-06-15T10:11:12.000Z']],
    [VANCOUVER, '2026-06-15T10:11:12', ['2026-06-15T17:11:12.000Z']],
    [VANCOUVER, '2026-01-15T23:59:59', ['2026-01-16T07:59:59.000Z']],
    [LONDON, '2026-01-15T10:11:12', ['2026-01-15T10:11:12.000Z']],
    [LONDON, '2026-06-15T00:00:00', ['2026-06-14T23:00:00.000Z']],
    ['Pacific/Kiritimati', '2026-06-15T00:00:00', ['2026-06-14T10:00:00.000Z']],
    // The hour that occurs twice, and the minutes around it.
    [VANCOUVER, '2017-11-05T00:59:59', ['2017-11-05T07:59:59.000Z']],
    [VANCOUVER, '2017-11-05T01:30:00', ['2017-11-05T08:30:00.000Z', '2017-11-05T09:30:00.000Z']],
    [VANCOUVER, '2017-11-05T02:00:00', ['2017-11-05T10:00:00.000Z']],
    [LONDON, '2026-10-25T01:00:00', ['2026-10-25T00:00:00.000Z', '2026-10-25T01:00:00.000Z']],
    // The hour that the clocks skip.
    [VANCOUVER, '2017-03-12T02:30:00', []],
    [VANCOUVER, '2017-03-12T03:00:00', ['2017-03-12T10:00:00.000Z']],
    [LONDON, '2026-03-29T01:59:59', []],
    // Not a time.
    [LONDON, '2026-02-30T10:00:00', []],
    [LONDON, '2026-13-01T10:00:00', []],
    [LONDON, 'yesterday', []],
    [LONDON, '', []],
  ])('in %s, %j is %j', (zone, wall, moments) => {
    expect(momentsInZone(wall, zone).map((moment) => moment.toISOString())).toEqual(moments);
  });

  it('finds every hour of a year again', () => {
    for (const zone of [VANCOUVER, LONDON]) {
      for (let ms = Date.UTC(2026, 0, 1); ms < Date.UTC(2027, 0, 1); ms += 7 * 3_600_000) {
        const wall = formatInZone(new Date(ms), zone).slice(0, 19).replace(' ', 'T');
        expect(momentsInZone(wall, zone).map(Number)).toContain(ms);
      }
    }
  });
});
