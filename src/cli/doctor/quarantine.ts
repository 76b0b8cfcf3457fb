import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { QuarantineReason } from '../../drop/quarantine-drop.ts';
import { type Check, type Finding, ok, warn } from './check.ts';

const SHOWN = 20;

/** Nobody is told of a drop that was put into quarantine but by the log, and its sender may wait for a result. */
export const quarantine: Check = {
  name: 'Quarantine',
  needs: 'nothing',
  async look({ settings }) {
    const root = settings.paths.quarantine;
    const ids = await readdir(root).catch(() => []);
    if (ids.length === 0) return [ok('nothing lies in it')];
    const shown = await Promise.all(ids.slice(0, SHOWN).map((id) => describeDrop(join(root, id), id)));
    return ids.length > SHOWN ? [...shown, warn(`and ${ids.length - SHOWN} more in "${root}"`, DEAL_WITH)] : shown;
  },
};

async function describeDrop(dir: string, id: string): Promise<Finding> {
  const reason = await readReason(dir);
  if (!reason) return warn(`${id}: its reason.json cannot be read`, DEAL_WITH);
  const { code, name, from, at, mend } = reason;
  return warn(`${id}: "${name}" from ${from} since ${at}: ${code}`, `${mend} ${DEAL_WITH}`);
}

async function readReason(dir: string): Promise<QuarantineReason | undefined> {
  try {
    return JSON.parse(await readFile(join(dir, 'reason.json'), 'utf8')) as QuarantineReason;
  } catch {
    return undefined;
  }
}

const DEAL_WITH = 'Tell the sender; remove its folder in quarantine when that is done.';
