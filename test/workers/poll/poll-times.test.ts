import { describe, expect, it } from 'vitest';
import { AccountConfig } from '../../../schemas/config.ts';
import { isStale, longestPollDelayMs, pollDelayMs } from '../../../workers/poll/poll-times.ts';

const account = AccountConfig.parse({
  server: 'NA',
  country: 'US',
  currency: 'USD',
  agentCode: 'TEST88',
  password: 'TEST88',
});
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe('pollDelayMs', () => {
  it('grows from the first wait to five minutes, by default', () => {
    expect([0, 1, 2, 7, 8, 1_000_000].map((polls) => pollDelayMs(account, polls, 0))).toEqual([
      15_000, 22_500, 33_750, 256_289.0625, 300_000, 300_000,
    ]);
  });

  it.each([
    [DAY_MS - 1, 300_000, false],
    [DAY_MS, HOUR_MS, true],
    [7 * DAY_MS - 1, HOUR_MS, true],
    [7 * DAY_MS, DAY_MS, true],
    [365 * DAY_MS, DAY_MS, true],
  ])('after %i ms waits %i ms; overdue: %s', (ageMs, delayMs, stale) => {
    expect(pollDelayMs(account, 100, ageMs)).toBe(delayMs);
    expect(isStale(account, ageMs)).toBe(stale);
  });
});

describe('longestPollDelayMs', () => {
  it.each([0, 60_000, DAY_MS - 1, DAY_MS, 5 * DAY_MS, 7 * DAY_MS - 1, 7 * DAY_MS, 30 * DAY_MS])(
    'is never less than the wait that began at an age of %i ms',
    (ageMs) => {
      for (const polls of [0, 5, 100]) {
        const delayMs = pollDelayMs(account, polls, ageMs);
        expect(longestPollDelayMs(account, ageMs + delayMs)).toBeGreaterThanOrEqual(delayMs);
      }
    },
  );
});
