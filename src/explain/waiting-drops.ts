import type { App } from '../app.ts';
import { nextDate } from '../calendar/business-dates.ts';
import { formatInZone } from '../calendar/zone-time.ts';
import { type Folder, foldersHere, type Settings } from '../config/config.ts';
import { markerEndingOf, SIDECAR } from '../files/completeness.ts';
import type { WaitingDrop } from '../files/waiting-drops.ts';
import { describeFault } from '../kernel/errors.ts';
import { maskName } from '../kernel/mask.ts';

type Rule = Pick<Folder, 'complete' | 'schedule'>;

/**
 * Says why a drop is not taken yet, and how to have it taken sooner.
 * @param sayMoment writes the moment of the next run
 */
export function describeDropWait(
  { schedules }: Pick<Settings, 'schedules'>,
  folder: Rule,
  drop: WaitingDrop,
  now: Date,
  sayMoment: (at: Date, timeZone: string) => string = formatInZone,
): string {
  const { complete, schedule: taker } = folder;
  const { name, code, lacks } = drop;
  if (code !== undefined) return `not a plain file, so it will move to quarantine: ${describeFault({ code })}`;
  const schedule = taker === undefined ? undefined : schedules[taker];
  if (schedule) {
    const next = nextDate(schedule, now);
    const when = next ? `next at ${sayMoment(next.at, schedule.timeZone)}` : 'which has no days left';
    return `waiting for the schedule "${taker}", ${when}`;
  }
  if (drop.isWhole) return 'complete; it is taken next';
  const marker = `${name}${markerEndingOf(complete)}`;
  const until = waitEndOf(folder, drop);
  if (until === undefined) {
    if (lacks === 'newer_marker') return `waiting for a new ${marker}: the one there is older than the file`;
    return marker.endsWith(SIDECAR) ? `waiting for a whole ${marker}` : `waiting for ${marker}`;
  }
  const seconds = Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1_000));
  const isShorter = until.getTime() === movedInEndOf(folder, drop);
  return `waiting ${seconds} s ${isShorter ? 'after it was moved in' : 'for quiet'}; write ${marker} to skip`;
}

/** Returns when a drop has been quiet long enough if nothing changes; undefined when it waits for something else. */
export function waitEndOf({ complete, schedule }: Rule, drop: WaitingDrop): Date | undefined {
  const { sinceMs, code, isWhole } = drop;
  if (complete.by !== 'quiet' || schedule !== undefined || code !== undefined || isWhole) return undefined;
  return new Date(Math.min(sinceMs + complete.quietMs, movedInEndOf({ complete }, drop)));
}

/** Returns when the shorter wait of a file that was moved in ends, in ms since 1970; Infinity when it has none. */
function movedInEndOf({ complete }: Pick<Rule, 'complete'>, { movedInSinceMs }: WaitingDrop): number {
  if (complete.by !== 'quiet' || complete.movedInMs === undefined || movedInSinceMs === undefined) return Infinity;
  return movedInSinceMs + complete.movedInMs;
}

/** A drop that was seen and is not taken yet. `until`: when its wait ends by itself; null when it does not, or later. */
export type SeenDrop = {
  name: string;
  folder: string;
  account: string;
  since: Date;
  says: string;
  until: Date | null;
};

/** Drops that wait, the first of each folder, and the number of all. */
export type SeenDrops = { shown: SeenDrop[]; total: number };

/** Lists drops that wait in the folders here, as last listed. It opens no folder, so a slow one holds nothing up. */
export function listSeenDrops(
  { settings, waiting, clock }: Pick<App, 'settings' | 'waiting' | 'clock'>,
  isWanted: (folder: Folder) => boolean = () => true,
): SeenDrops {
  const now = clock.now();
  const seen: SeenDrops = { shown: [], total: 0 };
  for (const folder of foldersHere(settings).filter(isWanted)) {
    const { drops, total, stop } = waiting.of(folder.id);
    seen.total += total;
    for (const drop of drops) {
      const name = maskName(drop.name);
      const until = stop === undefined ? waitEndOf(folder, drop) : undefined;
      const says = stop ?? describeDropWait(settings, folder, { ...drop, name }, now);
      const since = new Date(drop.sinceMs);
      seen.shown.push({ name, folder: folder.id, account: folder.account, since, says, until: until ?? null });
    }
  }
  return seen;
}
