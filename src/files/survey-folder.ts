import { readdir } from 'node:fs/promises';
import { sep } from 'node:path';
import { type CompanionKind, gatherCompanions, readCompanionName } from './completeness.ts';
import { displayName, isIgnoredName } from './file-names.ts';
import { maskName } from '../kernel/mask.ts';
import { explained, lstatOrNothing } from './list-folder.ts';
import type { FolderRules } from './scan-folder.ts';

/** What lies in a drop folder, found by names alone. Names are as their senders wrote them: mask them. */
export type FolderSurvey = {
  /** Payment files, and whatever else will be taken or quarantined. */
  waiting: number;
  /** Markers and control files without their payment file that have lain there for more than an hour. */
  leftOver: { name: string; kind: CompanionKind; since: Date }[];
  /** Payment files that are not taken because they changed after their marker. */
  outdated: string[];
  /** Files that are never taken, because of their names. */
  ignored: string[];
};

/** After this time a companion without its file is left over, in ms. */
const LEFT_OVER_MS = 3_600_000;

/**
 * Looks at a drop folder without changing or remembering anything. It asks only about companions, so tens of thousands
 * of waiting files cost one listing.
 * @throws PipelineError FOLDER_MISSING, FOLDER_NOT_WRITABLE
 */
export async function surveyFolder({ path, complete }: FolderRules, now: Date): Promise<FolderSurvey> {
  const keys = await listNames(path);
  const taken = keys.filter((key) => !isIgnoredName(key));
  const drops = new Set(taken.filter((key) => !readCompanionName(key, complete)));
  const survey: FolderSurvey = {
    waiting: drops.size,
    leftOver: [],
    outdated: [],
    ignored: keys.filter(isIgnoredName).map(nameOf).sort(),
  };
  const changedMs = async (key: string) => {
    const stats = await lstatOrNothing(Buffer.concat([Buffer.from(path + sep), Buffer.from(key, 'latin1')]));
    return stats && Number(stats.mtimeMs);
  };
  for (const key of taken) {
    const companion = readCompanionName(key, complete);
    if (!companion || drops.has(companion.of)) continue;
    const sinceMs = await changedMs(key);
    if (sinceMs === undefined || now.getTime() - sinceMs < LEFT_OVER_MS) continue;
    survey.leftOver.push({ name: nameOf(key), kind: companion.kind, since: new Date(sinceMs) });
  }
  if (complete.by === 'quiet') return survey;
  const companions = gatherCompanions(
    taken.map((key) => ({ key })),
    complete,
  );
  for (const [of, { marker }] of companions) {
    if (!marker || !drops.has(of)) continue;
    const [fileMs, markerMs] = [await changedMs(of), await changedMs(marker.key)];
    if (fileMs !== undefined && markerMs !== undefined && fileMs > markerMs) survey.outdated.push(nameOf(of));
  }
  return survey;
}

/** Masks long numbers in the names of a survey. */
export function maskSurvey({ leftOver, outdated, ignored, ...survey }: FolderSurvey): FolderSurvey {
  return {
    ...survey,
    leftOver: leftOver.map((one) => ({ ...one, name: maskName(one.name) })),
    outdated: outdated.map(maskName),
    ignored: ignored.map(maskName),
  };
}

/** Counts the payment files in a drop folder. A folder that cannot be listed has its own alarm. */
export async function countWaiting({ path, complete }: FolderRules): Promise<number> {
  const keys = await listNames(path).catch(() => []);
  return keys.filter((key) => !isIgnoredName(key) && !readCompanionName(key, complete)).length;
}

/** Returns the names in a folder with one character per byte. */
function listNames(path: string): Promise<string[]> {
  return explained(`list the folder "${path}"`, () => readdir(path, { encoding: 'latin1' }));
}

function nameOf(key: string): string {
  return displayName(Buffer.from(key, 'latin1'));
}
