import type { ChosenVolume } from '../../src/ledger/duplicates/fingerprint-volumes.ts';

/** After a longer pause, or a jump as long, a clock may have been set meanwhile. */
const PAUSE_MS = 86_400_000;

/**
 * What counts as now, and since when the file counts as known, in the search for earlier payments: the earliest and the
 * latest of the clocks, so that no clock that is wrong makes a payment too old to be found. The clock of the service is
 * asked too where those of the host and the database do not follow on the last file. If the service does not say, the
 * account counts as if it had gone on at once.
 * @param hostNow by the clock of this host
 * @param askTime the time by the clock of the service
 */
export async function weighClocks(
  hostNow: Date,
  { databaseNow, lastFrom }: Pick<ChosenVolume, 'databaseNow' | 'lastFrom'>,
  askTime: () => Promise<Date | undefined>,
): Promise<{ now: Date; agedFrom: Date }> {
  const own = [hostNow, databaseNow];
  const follow = own.every((at) => lastFrom !== null && Math.abs(at.getTime() - lastFrom.getTime()) <= PAUSE_MS);
  const witness = follow ? null : ((await askTime()) ?? lastFrom);
  const times = [...own, ...(witness ? [witness] : [])].map((at) => at.getTime());
  return { now: new Date(Math.min(...times)), agedFrom: new Date(Math.max(...times)) };
}
