import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { App } from '../../src/app.ts';
import { writeDurably } from '../../src/files/write-durably.ts';
import { counted } from '../../src/kernel/counted.ts';
import { PipelineError, reasonOf } from '../../src/kernel/errors.ts';

/** Beside paydrop.yaml, because what is in a data folder goes with it. */
export const DATA_MARK = '.paydrop-data.json';

/** Which data folder this configuration was used with, and the installation whose ledger that was. */
type DataMark = { data: string; ledger: string };

/**
 * Notices that `paths.data` leads to a new folder. With the embedded database, its ledger is a new one, which does not know
 * what was sent: the start is refused. With an external one, the ledger knows files whose originals lie elsewhere: the log
 * says so. Call it before the folders are made.
 * @throws PipelineError CONFIG_INVALID
 */
export async function checkDataFolder({ settings, ledger, log }: Pick<App, 'settings' | 'ledger' | 'log'>) {
  const { data, archive } = settings.paths;
  const path = join(settings.root, DATA_MARK);
  const { rows } = await ledger.pool.query<DataMark & { files: number }>(
    `SELECT ledger::text, (SELECT count(*)::int FROM file WHERE site = $1 AND shredded_at IS NULL) AS files FROM admission`,
    [settings.site],
  );
  const [here] = rows as [DataMark & { files: number }];
  const before = await readMark(path);
  if (before && before.data !== data && before.ledger !== here.ledger)
    throw new PipelineError(
      'CONFIG_INVALID',
      `use the data folder "${data}"`,
      `this configuration was used with "${before.data}", and the ledger here is another one, which does not know what was sent`,
      {
        next: `Move "${before.data}" to "${data}", or set paths.data back. If this is to be a new installation, remove "${path}".`,
      },
    );
  if (here.files > 0 && !existsSync(archive))
    log.error(
      `the data folder "${data}" is new, but the ledger knows ${counted(here.files, 'file')} of this site whose originals lie in another one${before && before.data !== data ? `, "${before.data}"` : ''}: stop paydrop and move that folder here, with its send journal and its key`,
    );
  const now = { data, ledger: here.ledger };
  if (before?.data === now.data && before.ledger === now.ledger) return;
  // Where the folder of the configuration cannot be written, a changed paths.data is noticed by the ledger alone.
  await writeDurably(path, `${JSON.stringify(now)}\n`).catch((error: unknown) =>
    log.debug(`the data folder could not be noted beside paydrop.yaml: ${reasonOf(error)}`),
  );
}

async function readMark(path: string): Promise<DataMark | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as DataMark;
  } catch {
    return undefined;
  }
}
