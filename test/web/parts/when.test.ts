import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nameZone, sayDistance, sayFully, sayInZones, sayShortly } from '../../../src/web/parts/when.ts';

const NOW = new Date('2026-11-23T07:56:42Z');
const ago = (ms: number) => new Date(NOW.getTime() - ms);
const [MINUTE, HOUR] = [60_000, 3_600_000];

describe('sayShortly', () => {
  it.each([
    ['2026-11-23T07:05:42Z', '02:05'],
    ['2026-11-23T04:05:00Z', '23:05'],
    ['2026-11-22T04:05:00Z', '21 Nov, 23:05'],
    ['2026-11-25T04:05:00Z', '24 Nov, 23:05'],
    ['2026-01-01T05:00:00Z', '1 Jan, 00:00'],
    ['2026-01-01T04:59:59Z', '31 Dec 2025'],
    ['2027-01-01T05:00:00Z', '1 Jan 2027'],
  ])('of %s says "%s"', (at, says) => {
    expect(sayShortly(new Date(at), { now: NOW, timeZone: 'America/New_York' })).toBe(says);
  });
});

describe('sayFully', () => {
  it('has the day of the week in the zone', () => {
    const at = new Date('2026-11-23T02:05:42Z');
    expect(sayFully(at, 'UTC')).toBe('Mon 23 Nov 2026, 02:05:42');
    expect(sayFully(at, 'America/New_York')).toBe('Sun 22 Nov 2026, 21:05:42');
  });

  it('names the same day as any calendar', () => {
    const days = fc.date({ min: new Date('1973-01-01'), max: new Date('2099-12-31'), noInvalidDate: true });
    const format = { weekday: 'short', timeZone: 'Asia/Tokyo' } as const;
    fc.assert(
      fc.property(days, (at) => sayFully(at, 'Asia/Tokyo').startsWith(at.toLocaleDateString('en-US', format))),
      { numRuns: 100 },
    );
  });
});

describe('sayInZones', () => {
  const at = new Date('2026-11-23T07:05:42Z');

  it('tells each zone once, and UTC always', () => {
    expect(sayInZones(at, ['America/New_York', 'America/New_York'])).toBe(
      'Mon 23 Nov 2026, 02:05:42 New York · 07:05:42 UTC',
    );
    expect(sayInZones(at, ['America/New_York', 'America/Vancouver'])).toBe(
      'Mon 23 Nov 2026, 02:05:42 New York · Sun 22 Nov 2026, 23:05:42 Vancouver · 07:05:42 UTC',
    );
    expect(sayInZones(at, ['UTC'])).toBe('Mon 23 Nov 2026, 07:05:42 UTC');
  });
});

describe('sayDistance', () => {
  it.each([
    [0, 'just now'],
    [MINUTE - 1, 'just now'],
    [MINUTE, '1 min ago'],
    [HOUR - 1, '59 min ago'],
    [HOUR, '1 h ago'],
    [23 * HOUR + 59 * MINUTE, '23 h ago'],
    [-1, 'in a moment'],
    [-90 * MINUTE, 'in 1 h'],
  ])('of %i ms says "%s"', (ms, says) => {
    expect(sayDistance(ago(ms), NOW)).toBe(says);
  });
});

describe('nameZone', () => {
  it.each([
    ['America/Argentina/Buenos_Aires', 'Buenos Aires'],
    ['UTC', 'UTC'],
  ])('of %s is %s', (zone, name) => {
    expect(nameZone(zone)).toBe(name);
  });
});
