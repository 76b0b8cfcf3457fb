import { formatInZone } from '../../calendar/zone-time.ts';
import type { Settings } from '../../config/config.ts';
import { spanWords } from '../../kernel/counted.ts';

/** Returns the zone of a table with several accounts: theirs if they share one, else UTC. */
export function zoneOf({ accounts }: Pick<Settings, 'accounts'>): string {
  const zones = new Set([...accounts.values()].map(({ timeZone }) => timeZone));
  const [zone = 'UTC'] = zones;
  return zones.size === 1 ? zone : 'UTC';
}

/** Returns how a table writes moments: all in one zone, and how far away they are. */
export function momentsIn(timeZone: string, now: Date): (at: Date) => string {
  return (at) => `${formatInZone(at, timeZone)} (${distance(at.getTime() - now.getTime())})`;
}

/** Says how far away a moment is: `3 min ago`, `in 2 h`. */
function distance(ms: number): string {
  const words = spanWords(Math.abs(ms));
  return ms > 0 ? `in ${words}` : `${words} ago`;
}
