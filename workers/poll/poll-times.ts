import type { AccountConfig } from '../../schemas/config.ts';
import type { App } from '../../src/app.ts';
import { waitLeftMs } from '../../src/kernel/clock.ts';
import { LONGEST_REPOLL_MS, readUsualResultMs } from '../../src/ledger/batch/schedule-poll.ts';
import type { Ledger } from '../../src/ledger/engine/open-ledger.ts';
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

/** First wait where the service is to tell it (`auto`), in ms: before it has, and the least and the most of what it tells. */
const AUTO_MS = 1_000;
const MOST_AUTO_MS = 60_000;

/** Results of an account of which the usual time is known. */
const FEWEST_RESULTS = 10;

/** How long it counts, in ms. */
const KNOWN_MS = 60_000;

const known = new WeakMap<Ledger, Map<string, { at: number; firstMs: number }>>();

/**
 * Returns the wait before the first query, in ms. By `auto` it is half of the time in which half of the account's results
 * were there, so that a quick service is asked soon and a slow one seldom.
 */
export async function firstPollMs({ ledger, clock, account }: PollContext, name: string): Promise<number> {
  const { firstMs } = account(name).poll;
  if (firstMs !== 'auto') return firstMs;
  const byName = known.get(ledger) ?? new Map<string, { at: number; firstMs: number }>();
  known.set(ledger, byName);
  const now = clock.now().getTime();
  const found = byName.get(name);
  if (found && found.at <= now && now < found.at + KNOWN_MS) return found.firstMs;
  const usual = await readUsualResultMs(ledger, name, FEWEST_RESULTS);
  const first = usual === undefined ? AUTO_MS : Math.min(MOST_AUTO_MS, Math.max(AUTO_MS, Math.round(usual / 2)));
  byName.set(name, { at: now, firstMs: first });
  return first;
}

type PollContext = Pick<App, 'ledger' | 'clock' | 'account'>;

/**
 * Returns the wait before the next query. Waits grow by the account's factor, so that a slow batch is not queried every
 * ten seconds all night. An overdue one is queried hourly, after a week daily, and forever: only the service knows its
 * outcome.
 * @param firstMs the first wait
 * @param polls queries so far
 * @param ageMs since the service took the batch
 */
export function pollDelayMs(
  { poll }: Pick<AccountConfig, 'poll'>,
  { firstMs, polls, ageMs }: { firstMs: number; polls: number; ageMs: number },
): number {
  if (ageMs >= 7 * DAY_MS) return DAY_MS;
  if (ageMs >= poll.staleMs) return HOUR_MS;
  return Math.max(LEAST_MS, Math.min(firstMs * poll.factor ** Math.min(polls + 1, 50), poll.longestMs));
}

/**
 * Returns the first wait to go by when the service does not know the batch id. Ten such answers make a batch an exception,
 * so they are not asked for within seconds, however quick the service is.
 */
export function notKnownMs(firstMs: number): number {
  return Math.max(firstMs, NOT_KNOWN_MS);
}

const NOT_KNOWN_MS = 10_000;

/** Returns the longest wait that may end at this age; no clock that was set back can exceed it. */
export function longestPollDelayMs({ poll }: Pick<AccountConfig, 'poll'>, ageMs: number): number {
  const slowMs = ageMs > 7 * DAY_MS ? DAY_MS : ageMs > poll.staleMs ? HOUR_MS : 0;
  const firstMs = poll.firstMs === 'auto' ? MOST_AUTO_MS : poll.firstMs;
  return Math.max(LEAST_MS, firstMs, poll.longestMs, slowMs);
}

/** Returns whether a result is so late that a person should know. */
export function isStale({ poll }: Pick<AccountConfig, 'poll'>, ageMs: number): boolean {
  return ageMs >= poll.staleMs;
}

/** How often a result that did not fit is fetched again automatically, in ms. */
export const EXCEPTION_DELAY_MS = LONGEST_REPOLL_MS;
