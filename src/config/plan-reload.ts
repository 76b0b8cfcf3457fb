import { isDeepStrictEqual } from 'node:util';
import { SETTING_EFFECTS } from '../../schemas/setting-effects.ts';
import { findFaults, type Folder, type Settings } from './config.ts';
import { RELOADED, type Section, SECTIONS } from './sections.ts';

declare module '../feature.ts' {
  interface Feature {
    /** Returns settings elsewhere that a folder needs: while they differ from those in use, it waits for a restart. */
    restsOn?(settings: Settings, folder: Folder): unknown;
  }
}

/** What a running process takes up from a changed configuration, and what waits for its restart. */
export type Reload = {
  /** Unchanged folders are the objects that are in use. */
  readonly folders: readonly Folder[];
  readonly alarms: Settings['alarms'];
  /** Folders that are watched no longer. */
  readonly left: readonly Folder[];
  readonly waits: readonly Section[];
};

/**
 * Compares the settings in use with those of the changed file. Whoever is charged stays the same until a restart: no
 * account is taken up, and no folder that another account, operation or changed account would pay for.
 */
export function planReload(used: Settings, file: Settings): Reload {
  const chosen = file.folders.map((folder) => chooseFolder(used, file, folder));
  const folders = chosen.flatMap(({ folder }) => folder ?? []);
  const isWhole = chosen.every(({ waits }) => !waits);
  // Old and new settings together may contradict each other although each was right.
  const fits = findFaults({ ...used, folders, alarms: file.alarms }).length === 0;
  const taken = fits ? folders : used.folders;
  const changed = SECTIONS.filter((section) => !RELOADED.includes(section) && isChanged(used, file, section));
  return {
    folders: taken,
    alarms: isDeepStrictEqual(used.alarms, file.alarms) ? used.alarms : file.alarms,
    left: used.folders.filter(({ id }) => taken.every((folder) => folder.id !== id)),
    waits: [...changed, ...(isWhole && fits ? [] : (['folders'] as const))],
  };
}

function isChanged(used: Settings, file: Settings, section: Section): boolean {
  if (used.marks[section].whole !== file.marks[section].whole) return true;
  // The file names the places of its secrets, and a place may hold another secret now.
  return section === 'accounts' && !isDeepStrictEqual(used.accounts, file.accounts);
}

/** Returns the folder to use from now on, and whether what the file says of it waits for a restart. */
function chooseFolder(used: Settings, file: Settings, folder: Folder): { folder: Folder | undefined; waits: boolean } {
  const before = used.folders.find(({ id }) => id === folder.id);
  if (isDeepStrictEqual(before, folder)) return { folder: before, waits: false };
  return mayTakeUp(used, file, folder, before) ? { folder, waits: false } : { folder: before, waits: true };
}

/** Settings of a folder whose change waits for a restart. */
const FOLDER_KEEPS = Object.entries(SETTING_EFFECTS).flatMap(([path, { by }]): (keyof Folder)[] => {
  const [, name] = /^folders\[\]\.(\w+)/.exec(path) ?? [];
  return by === 'restart' && name !== undefined ? [name as keyof Folder] : [];
});

function mayTakeUp(used: Settings, file: Settings, folder: Folder, before: Folder | undefined): boolean {
  const { account, schedule } = folder;
  const isSame = (read: (settings: Settings) => unknown) => {
    const value = read(used);
    return value !== undefined && isDeepStrictEqual(value, read(file));
  };
  return (
    isSame(({ accounts }) => accounts.get(account)) &&
    (schedule === undefined || isSame(({ schedules }) => schedules[schedule])) &&
    used.features.every(({ restsOn }) => restsOn === undefined || isSame((settings) => restsOn(settings, folder))) &&
    FOLDER_KEEPS.every((name) => before === undefined || isDeepStrictEqual(before[name], folder[name]))
  );
}
