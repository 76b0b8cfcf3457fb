import type { AccountConfig } from '../../schemas/config.ts';
import { LONGEST_REPOLL_MS } from '../../src/ledger/batch/schedule-poll.ts';

/** However small the settings are, a service is not asked without a pause. */
const LEAST_MS = 50;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * How long to wait before the next question. Waits grow by the account's factor, so that a slow batch is not asked
 * for all night every ten seconds; one that is overdue is asked for hourly, and after a week daily, for ever: the service
 * has the batch, and nobody else can say what became of it.
 * @param polls questions asked so far
 * @param ageMs since the service took the batch
 */
export function pollDelayMs({ poll }: Pick<AccountConfig, 'poll'>, polls: number, ageMs: number): number {
  if (ageMs >= 7 * DAY_MS) return DAY_MS;
  if (ageMs >= poll.staleMs) return HOUR_MS;
  return Math.max(LEAST_MS, Math.min(poll.firstMs * poll.factor ** Math.min(polls + 1, 50), poll.longestMs));
}

/** The longest wait that may end at this age: no clock that was set back can make it longer. */
export function longestPollDelayMs({ poll }: Pick<AccountConfig, 'poll'>, ageMs: number): number {
  const slowMs = ageMs > 7 * DAY_MS ? DAY_MS : ageMs > poll.staleMs ? HOUR_MS : 0;
  return Math.max(LEAST_MS, poll.firstMs, poll.longestMs, slowMs);
}

/** Whether a result is so long in coming that a person should know. */
export function isStale({ poll }: Pick<AccountConfig, 'poll'>, ageMs: number): boolean {
  return ageMs >= poll.staleMs;
}

/** How often a result that did not fit is asked for again by itself. */
export const EXCEPTION_DELAY_MS = LONGEST_REPOLL_MS;
