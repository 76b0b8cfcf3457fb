import type { App } from '../../src/app.ts';
import { reasonOf } from '../../src/kernel/errors.ts';
import { ThreadDeath } from '../../src/thread/open-thread.ts';
import { beginReading, endReading, forgetReadings } from '../../src/ledger/file/count-readings.ts';

/** A file is not read again after this many readings that ended with their process or thread. */
export const MOST_DEATHS = 3;

/**
 * Reads claimed files, one or many, unless that has killed the process too often; such a file would otherwise end every
 * start. The counts are written before the first byte is read, because afterwards it may be too late. A reading that fails
 * with an error is no death; the sweep retries it without limit. The death of its thread counts as one, or the file would
 * be read forever. A death counts against all files that were read together, so a file that has one is read alone.
 * @param read reads the files and clears their counts with what it writes; receives the number of earlier deaths
 * @param giveUp handles the one file instead of reading it again
 */
export async function poisonGuard<Result>(
  app: App,
  fileIds: string | readonly string[],
  { read, giveUp }: { read: (deaths: number) => Promise<Result>; giveUp: () => Promise<Result> },
): Promise<Result> {
  const ids = [fileIds].flat();
  const deaths = Math.max(...(await beginReading(app.ledger, ...ids)));
  if (deaths >= MOST_DEATHS && ids.length === 1) {
    const result = await giveUp();
    app.log.error({ fileId: ids[0], deaths }, 'the file is not read again: each attempt crashed the process');
    await forgetReadings(app.ledger.pool, ...ids);
    return result;
  }
  try {
    return await read(deaths);
  } catch (error) {
    if (error instanceof ThreadDeath) throw error;
    // If this fails, the reading counts as a death; a single one does no harm.
    await endReading(app.ledger, ...ids).catch((trouble: unknown) => app.log.warn({ fileIds: ids }, reasonOf(trouble)));
    throw error;
  }
}

/** Puts files that follow one another together, to be read together, but each alone that is to be read alone. */
export function groupForReading<File>(files: readonly File[], isAlone: (file: File) => boolean): File[][] {
  const groups: File[][] = [];
  for (const file of files) {
    const last = groups.at(-1);
    if (last && !isAlone(file) && !isAlone(last[0]!)) last.push(file);
    else groups.push([file]);
  }
  return groups;
}
