import { describe, expect, it } from 'vitest';
import { AccountConfig } from '../../../schemas/config.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import type { Ledger } from '../../../src/ledger/engine/open-ledger.ts';
import type { Account } from '../../../src/config/config.ts';
import { firstPollMs, isStale, longestPollDelayMs, notKnownMs, pollDelayMs } from '../../../workers/poll/poll-times.ts';

const account = AccountConfig.parse({
  server: 'NA',
  country: 'US',
  currency: 'USD',
  agentCode: 'TEST88',
  password: 'TEST88',
});
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** An account whose last results came after these times, in ms. */
function contextOf(resultsMs: readonly number[], firstMs: number | 'auto' = 'auto') {
  const asked = { times: 0 };
  const sorted = resultsMs.toSorted((one, other) => one - other);
  const query = async () => {
    asked.times += 1;
    return { rows: [{ results: sorted.length, ms: sorted[Math.floor(sorted.length / 2)] ?? null }] };
  };
  const clock = handClock('2026-06-15T10:00:00.000Z');
  const set = { ...account, poll: { ...account.poll, firstMs } } as Account;
  return { asked, clock, ledger: { pool: { query } } as unknown as Ledger, account: () => set };
}

const times = (count: number, ms: number) => Array.from({ length: count }, () => ms);

describe('firstPollMs', () => {
  it.each([
    ['as it is set', times(50, 90_000), 7_000, 7_000],
    ['at once, when that is set', times(50, 90_000), 0, 0],
    ['a second while no result is known', [], 'auto', 1_000],
    ['a second while few results are known', times(9, 40_000), 'auto', 1_000],
    ['half of the usual time', times(10, 40_000), 'auto', 20_000],
    ['half of the usual time, whatever a few took', [...times(8, 40_000), 1, 9_000_000], 'auto', 20_000],
    ['at least a second', times(10, 300), 'auto', 1_000],
    ['at most a minute', times(10, 3_600_000), 'auto', 60_000],
  ] as const)('is %s', async (_what, results, firstMs, wait) => {
    expect(await firstPollMs(contextOf(results, firstMs), 'main')).toBe(wait);
  });

  it('asks the ledger once a minute, and again when the clock was set back', async () => {
    const context = contextOf(times(10, 8_000));
    for (const ms of [0, 59_000, 2_000, -3_600_000]) {
      context.clock.advance(ms);
      expect(await firstPollMs(context, 'main')).toBe(4_000);
    }
    expect(context.asked.times).toBe(3);
  });
});

it('notKnownMs asks no sooner than after ten seconds about a batch id that the service does not know', () => {
  expect([1_000, 10_000, 60_000].map(notKnownMs)).toEqual([10_000, 10_000, 60_000]);
});

describe('pollDelayMs', () => {
  it('grows from the first wait to five minutes', () => {
    const waits = [0, 1, 2, 7, 8, 1_000_000].map((polls) => pollDelayMs(account, { firstMs: 10_000, polls, ageMs: 0 }));
    expect(waits).toEqual([15_000, 22_500, 33_750, 256_289.0625, 300_000, 300_000]);
  });

  it.each([
    [DAY_MS - 1, 300_000, false],
    [DAY_MS, HOUR_MS, true],
    [7 * DAY_MS - 1, HOUR_MS, true],
    [7 * DAY_MS, DAY_MS, true],
    [365 * DAY_MS, DAY_MS, true],
  ])('after %i ms waits %i ms; overdue: %s', (ageMs, delayMs, stale) => {
    expect(pollDelayMs(account, { firstMs: 1_000, polls: 100, ageMs })).toBe(delayMs);
    expect(isStale(account, ageMs)).toBe(stale);
  });
});

describe('longestPollDelayMs', () => {
  it.each([0, 60_000, DAY_MS - 1, DAY_MS, 5 * DAY_MS, 7 * DAY_MS - 1, 7 * DAY_MS, 30 * DAY_MS])(
    'is never less than the wait that began at an age of %i ms',
    (ageMs) => {
      for (const polls of [0, 5, 100])
        for (const firstMs of [1_000, 60_000]) {
          const delayMs = pollDelayMs(account, { firstMs, polls, ageMs });
          expect(longestPollDelayMs(account, ageMs + delayMs)).toBeGreaterThanOrEqual(delayMs);
        }
    },
  );
});
