import type { App } from '../../src/app.ts';
import { reasonOf } from '../../src/kernel/errors.ts';
import { ThreadDeath } from '../../src/thread/open-thread.ts';
import { beginReading, endReading, forgetReadings } from '../../src/ledger/file/count-readings.ts';

/** A file whose reading ended this often with the process that read it is not read again. */
export const MOST_DEATHS = 3;

/**
 * Reads a claimed file, unless that has ended the process time after time: a file that no process survives would
 * otherwise be the first thing that each start reads, and the last. The count is written before the first byte is read,
 * because afterwards nobody may be there to write it. A reading that fails with an error is no death; the sweep asks for
 * it again as long as it takes. That its thread died is an error to the process and a death all the same: such a file
 * would otherwise be read for ever.
 * @param read   reads the file, and forgets the count together with what it writes of the file; it is told of how many
 *               earlier readings nobody came back
 * @param giveUp what becomes of the file instead of being read once more
 */
export async function guardReading(
  app: App,
  fileId: string,
  { read, giveUp }: { read: (deaths: number) => Promise<void>; giveUp: (deaths: number) => Promise<void> },
): Promise<void> {
  const deaths = await beginReading(app.ledger, fileId);
  if (deaths >= MOST_DEATHS) {
    await giveUp(deaths);
    app.log.error({ fileId, deaths }, 'the file is not read again: each reading of it ended with the process');
    await forgetReadings(app.ledger.pool, fileId);
  } else {
    await readAlive(app, fileId, () => read(deaths));
  }
}

async function readAlive(app: App, fileId: string, read: () => Promise<void>): Promise<void> {
  try {
    await read();
  } catch (error) {
    if (error instanceof ThreadDeath) throw error;
    // Not taken back, it would count as a death; one of those alone does no harm.
    await endReading(app.ledger, fileId).catch((trouble: unknown) => app.log.warn({ fileId }, reasonOf(trouble)));
    throw error;
  }
}
