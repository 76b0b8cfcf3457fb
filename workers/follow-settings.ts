import { isDeepStrictEqual } from 'node:util';
import type { Role } from '../schemas/jobs.ts';
import type { App } from '../src/app.ts';
import { configPath, type Folder, foldersHere, type Settings } from '../src/config/config.ts';
import { planReload, type Reload } from '../src/config/plan-reload.ts';
import {
  type FileStamp,
  isSameStamp,
  RESTART,
  sayStale,
  type SectionMarks,
  SECTIONS,
  stampOf,
} from '../src/config/sections.ts';
import { PipelineError, reasonOf } from '../src/kernel/errors.ts';
import { forgetDeadProcesses, forgetThisProcess, noteProcess } from '../src/ledger/process/running-processes.ts';
import { checkFolders, checkKeys } from './watch/check-folders.ts';

/** How often the file is looked at, in ms. A change counts once two looks find the same file: it may be half written. */
const LOOK_MS = 2_000;

/** How often the ledger is told again, in ms: it may have been restored. */
const NOTE_MS = 60_000;

export type FollowedSettings = {
  /** Looks at the file now. */
  look(): Promise<void>;
  stop(): Promise<void>;
};

/**
 * Takes up what can safely be taken up from a changed paydrop.yaml: folders and alarms. The rest waits for a restart, and
 * a file with faults changes nothing; both are in the ledger as long as they are true, so that every command can say so.
 * @param onFolders is called when folders were exchanged
 */
export async function followSettings(
  app: App,
  roles: ReadonlySet<Role>,
  atSite: boolean,
  onFolders: () => Promise<void>,
): Promise<FollowedSettings> {
  const { settings } = app;
  const path = configPath(settings.root);
  let seen: FileStamp | undefined = settings.source;
  let examined: FileStamp | undefined = settings.source;
  let used: { marks: SectionMarks; at: Date | undefined } = { marks: settings.marks, at: settings.source?.at };
  let waits: readonly string[] = [];
  let changedAt: Date | undefined;
  let fault: string | undefined;
  /** Read, and not taken up yet: a folder may be missing, and made at any moment. */
  let pending: { file: Settings; reload: Reload } | undefined;

  let noted: { text: string; at: number } | undefined;
  const note = async () => {
    const facts = {
      site: settings.site,
      roles: [...roles],
      beganAt: app.health.begunAt,
      settingsAt: used.at ?? null,
      sections: Object.fromEntries(SECTIONS.map((section) => [section, used.marks[section].open])),
      waits,
      changedAt: changedAt ?? null,
      fault: fault ?? null,
    };
    const text = JSON.stringify(facts);
    if (noted?.text === text && performance.now() - noted.at < NOTE_MS) return;
    await noteProcess(app.ledger, facts);
    noted = { text, at: performance.now() };
  };

  const refuse = (error: unknown) => {
    const reason = error instanceof PipelineError ? error.message : reasonOf(error);
    if (reason === fault) return;
    fault = reason;
    const code = error instanceof PipelineError ? error.code : 'INTERNAL';
    app.log.error({ code }, `the changed configuration is not used: ${reason}`);
  };

  const examine = async () => {
    if (!settings.source) return;
    const stamp = stampOf(path);
    if (!isSameStamp(stamp, seen)) {
      seen = stamp;
      return;
    }
    if (!isSameStamp(stamp, examined)) {
      examined = stamp;
      pending = undefined;
      changedAt = stamp?.at ?? app.clock.now();
      const file = app.rereadSettings();
      pending = { file, reload: planReload(settings, file) };
    }
    if (pending) await takeUp(pending.file, pending.reload);
  };

  const takeUp = async (file: Settings, reload: Reload) => {
    const next = { ...settings, folders: reload.folders };
    const hasNewFolders = !isDeepStrictEqual(reload.folders, settings.folders);
    if (hasNewFolders && atSite) await checkFolders(next);
    if (hasNewFolders && roles.has('intake')) await checkKeys({ ...app, settings: next });
    pending = undefined;
    fault = undefined;
    const before = settings.folders;
    const isKept = ({ id }: Folder) => reload.folders.every((folder) => folder.id !== id);
    settings.leftFolders = [...settings.leftFolders, ...reload.left].filter(isKept);
    settings.folders = reload.folders;
    settings.alarms = reload.alarms;
    waits = reload.waits;
    used = usedNow(used, file, reload);
    if (waits.length === 0) changedAt = undefined;
    const changes = changesOf(foldersHere({ ...settings, folders: before }), foldersHere(settings));
    if (waits.length === 0 || Object.keys(changes).length > 0)
      app.log.info(changes, 'the changed configuration is used');
    if (hasNewFolders) await onFolders();
    if (waits.length > 0) app.log.warn(`${sayStale({ changedAt, usedAt: used.at, sections: waits })}. ${RESTART}`);
  };

  const look = async () => {
    await examine().catch(refuse);
    app.health.noteSettings(noticeOf(fault, waits));
    await note().catch((error: unknown) =>
      app.log.warn(`the configuration in use cannot be recorded: ${reasonOf(error)}`),
    );
  };

  await forgetDeadProcesses(app.ledger);
  await note();
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const plan = () => {
    timer = setTimeout(
      () => {
        running = look().finally(() => {
          if (!stopped) plan();
        });
      },
      Math.min(LOOK_MS, settings.rescanMs),
    );
  };
  plan();
  return {
    look: () => (running = running.then(look)),
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
      await forgetThisProcess(app.ledger).catch(() => undefined);
    },
  };
}

function noticeOf(fault: string | undefined, waits: readonly string[]): string | undefined {
  if (fault !== undefined) return 'paydrop.yaml has a fault; the configuration before it is used';
  return waits.length > 0 ? `restart paydrop to use the changed ${waits.join(', ')}` : undefined;
}

/** Returns the configuration in use after a reload: the whole file, or the earlier one but for what was taken up. */
function usedNow(
  used: { marks: SectionMarks; at: Date | undefined },
  file: Settings,
  { waits }: Reload,
): { marks: SectionMarks; at: Date | undefined } {
  if (waits.length === 0) return { marks: file.marks, at: file.source?.at };
  const marks = SECTIONS.map((section) => [
    section,
    waits.includes(section) ? used.marks[section] : file.marks[section],
  ]);
  return { marks: Object.fromEntries(marks) as SectionMarks, at: used.at };
}

function changesOf(before: readonly Folder[], now: readonly Folder[]): Readonly<Record<string, string>> {
  const names = (folders: readonly Folder[]) => folders.map(({ id }) => id).join(', ');
  const isIn =
    (folders: readonly Folder[]) =>
    ({ id }: Folder) =>
      folders.some((folder) => folder.id === id);
  const changes = {
    added: names(now.filter((folder) => !isIn(before)(folder))),
    removed: names(before.filter((folder) => !isIn(now)(folder))),
    changed: names(now.filter((folder) => isIn(before)(folder) && !before.includes(folder))),
  };
  return Object.fromEntries(Object.entries(changes).filter(([, folders]) => folders !== ''));
}
