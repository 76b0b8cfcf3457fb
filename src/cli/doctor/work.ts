import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '../../config/config.ts';
import { systemCode } from '../../kernel/errors.ts';
import { byNumber } from '../../kernel/counted.ts';
import { FILE_ID } from '../../kernel/ids.ts';
import type { Ledger } from '../../ledger/engine/open-ledger.ts';
import { listRunningProcesses } from '../../ledger/process/running-processes.ts';
import { readOriginals } from '../../ledger/key/read-originals.ts';
import { foldersHere } from '../../config/config.ts';
import { bad, type Check, type Finding, type Level, ok, warn } from './check.ts';
import { listQuarantine } from '../../files/claims/quarantine-drop.ts';
import { writeDurably } from '../../files/write-durably.ts';
import { findStaleTemporaries } from '../../files/outputs/output-draft.ts';
import { listSealed } from '../../crypto/list-sealed.ts';
import { isStaleSettings, type Obstacle, readObstacles } from '../../../workers/upkeep/alarms/obstacles.ts';

/** The work folders must hold only what the ledger has claimed and not decided. */
export const workFolders: Check = {
  name: 'Work folders',
  needs: 'ledger',
  async look({ settings, ledger }) {
    const findings: Finding[] = [];
    for (const work of new Set(foldersHere(settings).map((folder) => folder.work))) {
      const names = await readdir(work).catch(() => []);
      const ids = names.filter((name) => FILE_ID.test(name));
      const known = new Map((await readOriginals(ledger, ids)).map((row) => [row.file_id, row.state]));
      findings.push(
        ...about(
          ids.filter((id) => !known.has(id)),
          `in "${work}" and not in the ledger`,
          'No action is needed: the next start or sweep takes them in.',
        ),
        ...about(
          ids.filter((id) => known.has(id) && known.get(id) !== 'claimed'),
          `in "${work}" and decided`,
          'No action is needed: the next start or sweep removes them.',
        ),
        ...about(
          names
            .filter((name) => !FILE_ID.test(name) && !/^\.|\.empty$/.test(name))
            .map(() => 'an entry that is not a claim'),
          `in "${work}"`,
          'No action is needed: the next start or sweep quarantines it.',
        ),
      );
    }
    return findings.length > 0 ? findings : [ok('they match the claims in the ledger')];
  },
};

function about(names: readonly string[], where: string, remedy: string): Finding[] {
  if (names.length === 0) return [];
  const shown = names.slice(0, 5).join(', ') + (names.length > 5 ? ', …' : '');
  return [warn(`${names.length} ${where}: ${shown}`, remedy)];
}

const SHOWN = 20;

/** Lists quarantined drops; their senders may be waiting for a result. */
export const quarantine: Check = {
  name: 'Quarantine',
  needs: 'nothing',
  async look({ settings }) {
    const root = settings.paths.quarantine;
    const found = await listQuarantine(root);
    if (found.length === 0) return [ok('it is empty')];
    const shown = found.slice(0, SHOWN).map(describeDrop);
    return found.length > SHOWN ? [...shown, warn(`and ${found.length - SHOWN} more in "${root}"`, DEAL_WITH)] : shown;
  },
};

function describeDrop({ id, reason }: Awaited<ReturnType<typeof listQuarantine>>[number]): Finding {
  if (!reason) return warn(`${id}: its reason.json cannot be read`, DEAL_WITH);
  const { code, name, from, at, remedy } = reason;
  return warn(`${id}: "${name}" from ${from} since ${at}: ${code}`, `${remedy} ${DEAL_WITH}`);
}

const DEAL_WITH = 'Tell the sender, then remove its folder in quarantine.';

/** Longer than any write takes, in ms. */
const STALE_MS = 3_600_000;

/** Files left by processes that were killed while writing. */
export const temporaries: Check = {
  name: 'Temporaries',
  needs: 'nothing',
  async look({ settings, clock }) {
    const findings: Finding[] = [];
    for (const dir of [settings.paths.out, ...foldersHere(settings).map((folder) => folder.path)]) {
      const stale = await findStaleTemporaries(dir, { olderThanMs: STALE_MS, clock }).catch(() => []);
      if (stale.length === 0) continue;
      findings.push(
        warn(`${stale.length} unfinished in "${dir}"`, 'No action is needed: the next start removes them.'),
      );
    }
    const drafts = await countDrafts(settings.paths.archive);
    if (drafts > 0)
      findings.push(
        warn(
          `${drafts} unfinished in the archive`,
          'No action is needed: they are sealed and disappear when their file is read again.',
        ),
      );
    return findings.length > 0 ? findings : [ok('none')];
  },
};

async function countDrafts(archive: string): Promise<number> {
  let drafts = 0;
  for await (const { kind } of listSealed(archive)) if (kind === 'draft') drafts += 1;
  return drafts;
}

/** Work that fails repeatedly or is never picked up. Quarantined drops have their own check. */
export const failing: Check = {
  name: 'Work',
  needs: 'ledger',
  async look({ ledger, settings }) {
    const obstacles = (await readObstacles(ledger, settings)).filter(
      (one) => one.key !== 'quarantine' && !isStaleSettings(one),
    );
    if (obstacles.length === 0) return [ok('nothing fails repeatedly')];
    // Steps name the lines of doctor that show the cause; here they stand beside this one.
    return obstacles.map(({ what, why, next }) => bad(`${what}: ${why}`, next.replaceAll(' of "paydrop doctor"', '')));
  },
};

/** Whether the running processes use the configuration as it is in the file. */
export const runningSettings: Check = {
  name: 'Configuration',
  needs: 'ledger',
  async look({ ledger, settings }) {
    const { stale, processes } = await readRunning(ledger, settings);
    if (stale.length > 0) return stale.map(({ what, why, next }) => warn(`${what}: ${why}`, next));
    const running = byNumber(processes, 'the running process uses', `${processes} running processes use`);
    return [ok(processes === 0 ? 'no process runs' : `${running} it as it is`)];
  },
};

/** Returns how many processes run, and what they do not use of the configuration. */
export async function readRunning(
  ledger: Ledger,
  settings: Settings,
): Promise<{ processes: number; stale: readonly Obstacle[] }> {
  const stale = (await readObstacles(ledger, settings)).filter(isStaleSettings);
  return { processes: (await listRunningProcesses(ledger)).length, stale };
}

/** How the last drill ended. `code` is that of an error that ended it early. */
type Drill = { at: string; worst: Level; code?: string; madeAt?: string; sha256?: string; seconds?: number };

/** Keeps the end of a drill for the next look. A folder that cannot be written to has its own check. */
export async function noteDrill({ paths }: Settings, drill: Drill): Promise<void> {
  await writeDurably(join(paths.data, DRILL_NAME), `${JSON.stringify(drill)}\n`).catch(() => undefined);
}

const DRILL_NAME = 'last-drill.json';
const DAY_MS = 86_400_000;
/** A month, and some days for a drill that is run monthly. */
const DRILL_DAYS = 35;

/** Whether a backup was restored of late. Who never began with drills is told of them, not warned. */
export const lastDrill: Check = {
  name: 'Last drill',
  needs: 'nothing',
  async look({ settings, clock }) {
    const drill = await readDrill(settings);
    if (drill === undefined) return [ok('none was run here; "paydrop drill" proves that a backup can be restored')];
    const { at, worst, code } = drill;
    const how = worst === 'ok' ? 'the backup was whole' : (code ?? `it found something ${worst}`);
    const found = `at ${at}: ${how}`;
    if (worst === 'bad') return [bad(found, 'Run "paydrop drill" again and see what it finds.')];
    if (clock.now().getTime() - new Date(at).getTime() <= DRILL_DAYS * DAY_MS) return [ok(found)];
    return [warn(`${found}; that was more than ${DRILL_DAYS} days ago`, 'Run "paydrop drill".')];
  },
};

async function readDrill({ paths }: Settings): Promise<Drill | undefined> {
  try {
    return JSON.parse(await readFile(join(paths.data, DRILL_NAME), 'utf8')) as Drill;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
