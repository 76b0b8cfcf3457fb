import { describe, expect, it } from 'vitest';
import { momentsIn, spanWords, zoneOf } from '../../../src/cli/print/moments.ts';
import { configWith } from '../../kernel/support/config-world.ts';
import { resolveSettings } from '../../../src/config/config.ts';

it.each([
  [['America/Toronto', 'America/Toronto'], 'America/Toronto'],
  [['America/Toronto', 'UTC'], 'UTC'],
  [['America/Toronto', 'Europe/London'], 'UTC'],
])('zoneOf accounts in %j is %s', (zones, zone) => {
  const config = configWith({});
  const accounts = zones.map((timeZone, index) => [
    index === 0 ? 'main' : 'other',
    { ...config.accounts['main']!, timeZone },
  ]);
  expect(zoneOf(resolveSettings({ ...config, accounts: Object.fromEntries(accounts) }, '/srv', {}))).toBe(zone);
});

it('momentsIn writes the time of the zone, and the way from now', () => {
  const when = momentsIn('America/Toronto', new Date('2026-06-15T12:00:00Z'));
  expect(when(new Date('2026-06-15T11:57:00Z'))).toBe('2026-06-15 07:57:00 -04:00 (3 min ago)');
  expect(when(new Date('2026-06-15T14:30:00Z'))).toBe('2026-06-15 10:30:00 -04:00 (in 2 h)');
});

describe('spanWords', () => {
  it.each([
    [0, '0 s'],
    [119_999, '119 s'],
    [120_000, '2 min'],
    [7_199_000, '119 min'],
    [7_200_000, '2 h'],
    [172_799_000, '47 h'],
    [172_800_000, '2 days'],
  ])('%i ms: %s', (ms, words) => {
    expect(spanWords(ms)).toBe(words);
  });
});
