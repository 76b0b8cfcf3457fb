import type { AccountConfig } from '../../schemas/config.ts';
import type { App } from '../../src/app.ts';
import { waitLeftMs } from '../../src/kernel/clock.ts';
import { LONGEST_REPOLL_MS } from '../../src/ledger/batch/schedule-poll.ts';
import type { BatchRow } from '../../src/ledger/engine/records.ts';

/** Returns how long the next query for a result has to wait, in ms, by the ledger. */
export function pollWaitMs(app: App, batch: BatchRow): number {
  return waitLeftMs(batch.next_poll_at, app.clock.now(), longestPollMs(app, batch));
}

function longestPollMs(app: App, batch: BatchRow): number {
  const account = app.settings.accounts.get(batch.account);
  // An account that left the configuration must not block the sweep for the others.
  if (!account || batch.state === 'exception') return EXCEPTION_DELAY_MS;
  const ageMs = (batch.next_poll_at?.getTime() ?? 0) - (batch.submitted_at?.getTime() ?? 0);
  return longestPollDelayMs(account, ageMs);
}

/** Shortest wait between two queries, in ms, however small the settings are. */
const LEAST_MS = 50;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * Returns the wait before the next query. Waits grow by the account's factor, so that a slow batch is not queried every
 * ten seconds all night. An overdue one is queried hourly, after a week daily, and forever: only the service knows its
 * outcome.
 * @param polls queries so far
 * @param ageMs since the service took the batch
 */
export function pollDelayMs({ poll }: Pick<AccountConfig, 'poll'>, polls: number, ageMs: number): number {
  if (ageMs >= 7 * DAY_MS) return DAY_MS;
  if (ageMs >= poll.staleMs) return HOUR_MS;
  return Math.max(LEAST_MS, Math.min(poll.firstMs * poll.factor ** Math.min(polls + 1, 50), poll.longestMs));
}

/** Returns the longest wait that may end at this age; no clock that was set back can exceed it. */
export function longestPollDelayMs({ poll }: Pick<AccountConfig, 'poll'>, ageMs: number): number {
  const slowMs = ageMs > 7 * DAY_MS ? DAY_MS : ageMs > poll.staleMs ? HOUR_MS : 0;
  return Math.max(LEAST_MS, poll.firstMs, poll.longestMs, slowMs);
}

/** Returns whether a result is so late that a person should know. */
export function isStale({ poll }: Pick<AccountConfig, 'poll'>, ageMs: number): boolean {
  return ageMs >= poll.staleMs;
}

/** How often a result that did not fit is fetched again automatically, in ms. */
export const EXCEPTION_DELAY_MS = LONGEST_REPOLL_MS;
