import { mkdir, readdir, readFile, rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ERRORS } from '../../../schemas/errors.ts';
import type { Clock } from '../../kernel/clock.ts';
import { systemCode } from '../../kernel/errors.ts';
import { explained, explainSystemError, lstatOrNothing } from '../list-folder.ts';
import type { OddDrop } from './odd-drop.ts';
import { syncFolder } from '../../kernel/folders.ts';
import { UNFINISHED_ENDING, writeDurably } from '../write-durably.ts';

/** `from`: id of the folder it was in. `fileId` must be new. */
export type QuarantineOptions = { quarantineRoot: string; fileId: string; from: string; clock: Clock };

/** Content of `reason.json`. */
export type QuarantineReason = {
  code: OddDrop['code'];
  reason: string;
  remedy: string;
  name: string;
  from: string;
  at: string;
};

export type Quarantined = { is: 'quarantined'; dir: string; reason: QuarantineReason } | { is: 'gone' };

/**
 * Moves an odd drop to `<quarantineRoot>/<fileId>/drop` unopened, by one rename, with a `reason.json` beside it.
 * Nothing is ever deleted. The stored name is ours, because a sender's name may hold a card number. `drop.name` goes
 * into `reason.json`, so the caller must mask it. Of two processes the second gets `gone`.
 * @throws PipelineError FOLDER_OTHER_DISK, FOLDER_NOT_WRITABLE, FOLDER_MISSING, DISK_FULL
 */
export async function quarantineDrop(drop: OddDrop, options: QuarantineOptions): Promise<Quarantined> {
  const dir = join(options.quarantineRoot, options.fileId);
  const reason = explainDrop(drop, options);
  const action = `quarantine a drop of folder "${options.from}"`;
  await explained(action, () => mkdir(dir, { mode: 0o700 }));
  try {
    // The reason is written first: a crash may leave a reason without a drop, but never a drop without a reason.
    await writeDurably(join(dir, REASON), `${JSON.stringify(reason, null, 2)}\n`);
    await rename(drop.path, join(dir, MOVED));
    await syncFolder(dir);
    await syncFolder(options.quarantineRoot);
    return { is: 'quarantined', dir, reason };
  } catch (error) {
    // If this fails too, a reason without a drop stays behind; the first error is the useful one.
    await removeReason(dir).catch(() => undefined);
    if (systemCode(error) === 'ENOENT') return { is: 'gone' };
    throw explainSystemError(error, action);
  }
}

/** Lists the quarantine by folder name. `reason` is undefined where it cannot be read. */
export async function listQuarantine(root: string): Promise<{ id: string; reason: QuarantineReason | undefined }[]> {
  const found = [];
  for (const id of await readdir(root).catch(() => [])) found.push({ id, reason: await readReason(join(root, id)) });
  return found;
}

async function readReason(dir: string): Promise<QuarantineReason | undefined> {
  try {
    return JSON.parse(await readFile(join(dir, REASON), 'utf8')) as QuarantineReason;
  } catch {
    return undefined;
  }
}

const REASON = 'reason.json';
const MOVED = 'drop';

function explainDrop(drop: OddDrop, { from, clock }: QuarantineOptions): QuarantineReason {
  const { means, remedy } = ERRORS[drop.code];
  return {
    code: drop.code,
    reason: drop.reason ?? means,
    remedy,
    name: drop.name,
    from,
    at: clock.now().toISOString(),
  };
}

/** Removes the reason only if nothing was moved. An error can also follow the move; the reason must then stay. */
async function removeReason(dir: string): Promise<void> {
  if ((await lstatOrNothing(join(dir, MOVED))) !== undefined) return;
  for (const name of [REASON, REASON + UNFINISHED_ENDING]) await rm(join(dir, name), { force: true });
  await rmdir(dir);
}
