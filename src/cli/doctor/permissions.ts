import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CONFIG_FILE, foldersHere, type Settings } from '../../config/config.ts';
import { quoteWord } from '../print/paydrop-line.ts';
import { bad, type Check, type Finding, ok } from './check.ts';

/** Excessive permissions, their consequence, and the mode that removes them. */
type Rule = { path: string; forbidden: number; why: string; mode: string };

const OTHERS = 0o007;
const OTHERS_MAY_WRITE = 0o002;
const NOT_OWNER = 0o077;
const NOT_OWNER_MAY_WRITE = 0o022;

/**
 * A user who can write where money is decided could decide it; a user who can read the data could learn the numbers.
 */
export const permissions: Check = {
  name: 'Permissions',
  needs: 'nothing',
  async look({ settings }) {
    const findings = await Promise.all(rulesFor(settings).map(compare));
    const faults = findings.flatMap((finding) => finding ?? []);
    return faults.length > 0 ? faults : [ok('nobody else may write, or read what is secret')];
  },
};

function rulesFor(settings: Settings): Rule[] {
  const { root, paths } = settings;
  const folders = foldersHere(settings);
  const closed = 'others than its owner have rights on it';
  return [
    {
      path: join(root, CONFIG_FILE),
      forbidden: NOT_OWNER_MAY_WRITE,
      why: 'others may change the settings',
      mode: 'go-w',
    },
    // The embedded server needs to pass through: it runs as another user when root starts paydrop.
    { path: paths.data, forbidden: 0o066, why: 'others may read or write in it', mode: 'go-rw' },
    { path: paths.masterKey, forbidden: NOT_OWNER, why: closed, mode: '600' },
    { path: paths.journal, forbidden: NOT_OWNER_MAY_WRITE, why: 'others may write it', mode: 'go-w' },
    { path: paths.archive, forbidden: NOT_OWNER, why: closed, mode: '700' },
    { path: paths.out, forbidden: OTHERS, why: 'everybody has rights on it', mode: 'o-rwx' },
    { path: paths.quarantine, forbidden: OTHERS, why: 'everybody has rights on it', mode: 'o-rwx' },
    ...[...new Set(folders.map(({ work }) => work))].map((path) => ({
      path,
      forbidden: NOT_OWNER,
      why: closed,
      mode: '700',
    })),
    // Senders need to write; other users must not, because a drop can charge.
    ...folders.map(({ path }) => ({
      path,
      forbidden: OTHERS_MAY_WRITE,
      why: 'everybody may drop payments',
      mode: 'o-w',
    })),
  ];
}

async function compare({ path, forbidden, why, mode }: Rule): Promise<Finding | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (!found || (found.mode & forbidden) === 0) return undefined;
  const octal = (found.mode & 0o777).toString(8).padStart(4, '0');
  return bad(`"${path}" has mode ${octal}: ${why}`, `chmod ${mode} ${quoteWord(path)}`);
}
