import { access, constants, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { ROLES } from '../../../schemas/jobs.ts';
import { checkPlaces } from '../../../workers/watch/check-folders.ts';
import { readRoles } from '../process/start.ts';
import { CONFIG_FILE, foldersHere, type Settings } from '../../config/config.ts';
import { maskSurvey, surveyFolder } from '../../files/survey-folder.ts';
import { counted } from '../../kernel/counted.ts';
import { explainPath, systemCode } from '../../kernel/errors.ts';
import { quoteWord } from '../print/paydrop-line.ts';
import { bad, type Check, type Finding, ok, warn } from './check.ts';
import { isWindows } from '../../kernel/folders.ts';
import { groupBy } from '../../kernel/group-by.ts';

/** Drop folders must exist; the next start creates our own. All must be writable. */
export const folders: Check = {
  name: 'Folders',
  needs: 'nothing',
  async look({ settings }) {
    const drops = foldersHere(settings).map((folder) => folder.path);
    const findings = [
      ...(await Promise.all(drops.map((path) => lookAt(path, missingDrop)))),
      ...(await Promise.all(ownFolders(settings).map((path) => lookAt(path, missingOwn)))),
    ].flatMap((finding) => finding ?? []);
    return findings.length > 0
      ? findings
      : [ok(`${counted(drops.length, 'drop folder')} and paydrop's own folders exist`)];
  },
};

/** Returns the folders that only paydrop uses. */
export function ownFolders({ paths, folders: drops }: Settings): string[] {
  return [...new Set([paths.data, paths.archive, paths.out, paths.quarantine, ...drops.map((folder) => folder.work)])];
}

async function lookAt(path: string, missing: (path: string) => Finding): Promise<Finding | undefined> {
  try {
    if (!(await stat(path)).isDirectory()) return bad(`"${path}" is not a folder`, 'Move the file away.');
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT') return missing(path);
    const fault = explainPath(code);
    if (fault) return bad(`"${path}" cannot be used: ${fault.reason}`, fault.next);
    return bad(
      `"${path}" cannot be read and written (${code})`,
      'Give the system user of paydrop permission to read and write it.',
    );
  }
}

function missingDrop(path: string): Finding {
  return bad(`the drop folder "${path}" is missing`, `mkdir -p ${quoteWord(path)}`);
}

function missingOwn(path: string): Finding {
  return warn(
    `"${path}" does not exist yet`,
    'No action is needed: the next start makes it. If it existed before, restore it.',
  );
}

/** A companion without its payment file may vouch for nothing, and be met by the next file of its name. */
export const leftOvers: Check = {
  name: 'Left over',
  needs: 'nothing',
  async look({ settings, clock }) {
    const findings: Finding[] = [];
    for (const folder of foldersHere(settings)) {
      // A folder that cannot be listed stands in the line above.
      const survey = await surveyFolder(folder, clock.now()).catch(() => undefined);
      if (!survey) continue;
      const { leftOver, outdated } = maskSurvey(survey);
      const alone = leftOver.map(({ name }) => name);
      const [one, older] = [nameSome(alone), nameSome(outdated)];
      if (one) findings.push(warn(`in "${folder.id}" without their payment file for more than an hour: ${one}`, ALONE));
      if (older) findings.push(warn(`in "${folder.id}" changed after their marker, so they wait: ${older}`, OLDER));
    }
    return findings.length > 0 ? findings : [ok('no marker or control file lies without its payment file')];
  },
};

const ALONE = 'Ask the sender whether the payment file is still to come; remove them if it is not.';
const OLDER = 'Ask the sender whether the files are whole, and to write their markers again.';

/** Names shown of a kind. */
const MOST_NAMES = 10;

function nameSome(names: readonly string[]): string {
  const more = names.length > MOST_NAMES ? `, and ${names.length - MOST_NAMES} more` : '';
  return names.slice(0, MOST_NAMES).join(', ') + more;
}

/** What the next start refuses of the places of folders. It moves an empty hidden file, as the start does. */
export const places: Check = {
  name: 'Places',
  needs: 'nothing',
  async look({ settings, env }) {
    const roles = readRoles(env['PAYDROP_ROLES']);
    if (![...roles].some((role) => ROLES[role].atSite)) return [];
    // A missing drop folder has its own line.
    const drops = await Promise.all(foldersHere(settings).map(({ path }) => lookAt(path, missingDrop)));
    if (drops.some((finding) => finding !== undefined)) return [];
    await checkPlaces(settings);
    return [ok('each drop folder has a place of its own, on the file system of its work folder')];
  },
};

/** Excessive permissions, their consequence, and the mode that removes them. */
type Rule = readonly [path: string, forbidden: number, why: string, mode: string];

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
    if (isWindows())
      return [
        warn('not checked on Windows', 'Let only the user of paydrop into its folders, by their security settings.'),
      ];
    const findings = await Promise.all(rulesFor(settings).map(checkRule));
    const faults = findings.flatMap((finding) => finding ?? []);
    return faults.length > 0 ? faults : [ok('no other user can write, or read secrets')];
  },
};

function rulesFor(settings: Settings): Rule[] {
  const { root, paths } = settings;
  const drops = foldersHere(settings);
  const closed = 'users other than its owner have permissions on it';
  const open = 'every user has permissions on it';
  return [
    [join(root, CONFIG_FILE), NOT_OWNER_MAY_WRITE, 'other users can change the settings', 'go-w'],
    // The embedded server needs to pass through: it runs as another user when root starts paydrop.
    [paths.data, 0o066, 'other users can read or write in it', 'go-rw'],
    [paths.masterKey, NOT_OWNER, closed, '600'],
    [paths.journal, NOT_OWNER_MAY_WRITE, 'other users can write to it', 'go-w'],
    [paths.archive, NOT_OWNER, closed, '700'],
    [paths.out, OTHERS, open, 'o-rwx'],
    [paths.quarantine, OTHERS, open, 'o-rwx'],
    ...[...new Set(drops.map(({ work }) => work))].map((path): Rule => [path, NOT_OWNER, closed, '700']),
    // Senders need to write; other users must not, because a drop can charge.
    ...drops.map(({ path }): Rule => [path, OTHERS_MAY_WRITE, 'every user can drop payments', 'o-w']),
  ];
}

async function checkRule([path, forbidden, why, mode]: Rule): Promise<Finding | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (!found || (found.mode & forbidden) === 0) return undefined;
  const octal = (found.mode & 0o777).toString(8).padStart(4, '0');
  return bad(`"${path}" has mode ${octal}: ${why}`, `chmod ${mode} ${quoteWord(path)}`);
}

const MEBIBYTE = 1_048_576;
const LEAST_MEBIBYTES = 100;
const GOOD_MEBIBYTES = 1_024;

/** On a full disk nothing is sent, because the journal cannot be written. */
export const diskSpace: Check = {
  name: 'Disk space',
  needs: 'nothing',
  async look({ settings }) {
    const paths = [...ownFolders(settings), ...foldersHere(settings).map((folder) => folder.path)];
    const measured = await Promise.all([...new Set(paths)].map(measureRoom));
    const rooms = measured.filter((room) => room !== undefined);
    const disks = [...groupBy(rooms, ({ disk }) => disk).values()];
    const findings = disks.flatMap((disk) => judgeRoom(disk) ?? []);
    const least = Math.min(...rooms.map(({ free }) => free));
    return findings.length > 0 ? findings : [ok(`at least ${least} MiB are free everywhere`)];
  },
};

type Room = { path: string; disk: string; free: number };

/** @param rooms the folders of one disk */
export function judgeRoom(rooms: readonly Room[]): Finding | undefined {
  const [{ path, free }] = rooms as [Room];
  const others = rooms.length > 1 ? `, and on its disk for ${counted(rooms.length - 1, 'other folder')}` : '';
  const found = `${free} MiB are free in "${path}"${others}`;
  const remedy = 'Free space elsewhere on this disk; delete nothing in data or out.';
  if (free < LEAST_MEBIBYTES) return bad(found, remedy);
  return free < GOOD_MEBIBYTES ? warn(found, remedy) : undefined;
}

async function measureRoom(path: string): Promise<Room | undefined> {
  return Promise.all([stat(path), statfs(path)]).then(
    ([{ dev }, { bavail, bsize }]) => ({ path, disk: `${dev}`, free: Math.floor((bavail * bsize) / MEBIBYTE) }),
    () => undefined,
  );
}
