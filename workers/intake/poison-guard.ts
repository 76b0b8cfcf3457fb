import type { App } from '../../src/app.ts';
import { reasonOf } from '../../src/kernel/errors.ts';
import { ThreadDeath } from '../../src/thread/open-thread.ts';
import { beginReading, endReading, forgetReadings } from '../../src/ledger/file/count-readings.ts';

/** A file is not read again after this many readings that ended with their process or thread. */
export const MOST_DEATHS = 3;

/**
 * Reads a claimed file unless that has killed the process too often; such a file would otherwise end every start. The
 * count is written before the first byte is read, because afterwards it may be too late. A reading that fails with an
 * error is no death; the sweep retries it without limit. The death of its thread counts as one, or the file would be
 * read forever.
 * @param read reads the file and clears the count with what it writes; receives the number of earlier deaths
 * @param giveUp handles the file instead of reading it again
 */
export async function poisonGuard<Result>(
  app: App,
  fileId: string,
  { read, giveUp }: { read: (deaths: number) => Promise<Result>; giveUp: () => Promise<Result> },
): Promise<Result> {
  const deaths = await beginReading(app.ledger, fileId);
  if (deaths >= MOST_DEATHS) {
    const result = await giveUp();
    app.log.error({ fileId, deaths }, 'the file is not read again: each attempt crashed the process');
    await forgetReadings(app.ledger.pool, fileId);
    return result;
  }
  try {
    return await read(deaths);
  } catch (error) {
    if (error instanceof ThreadDeath) throw error;
    // If this fails, the reading counts as a death; a single one does no harm.
    await endReading(app.ledger, fileId).catch((trouble: unknown) => app.log.warn({ fileId }, reasonOf(trouble)));
    throw error;
  }
}
