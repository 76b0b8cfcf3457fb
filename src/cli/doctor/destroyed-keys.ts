import { counted } from '../../kernel/counted.ts';
import { type OpenCleaning, readOpenCleanings } from '../../ledger/retention/cleanings.ts';
import { type Check, type Finding, ok, warn } from './check.ts';

const DAY_MS = 86_400_000;

/** Checks whether keys and fingerprints destroyed more than a day ago are gone from the database's files. */
export const destroyedKeys: Check = {
  name: 'Destroyed keys',
  needs: 'ledger',
  async look({ ledger, clock }) {
    const before = new Date(clock.now().getTime() - DAY_MS);
    const open = await readOpenCleanings(ledger, before);
    return open.length > 0 ? open.map(describe) : [ok('none of them is left in the files of the database for a day')];
  },
};

function describe({ table, files, since, why }: OpenCleaning): Finding {
  const what = table === 'file_secret' ? 'keys' : 'fingerprints';
  const found = `the files of the database still hold destroyed ${what} of ${counted(files, 'file')} since ${since.toISOString()}: ${why ?? 'not tried yet'}`;
  return warn(found, 'Run "paydrop retention clean" in a quiet hour.');
}
