import { lstat, rm } from 'node:fs/promises';
import { relative } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { readSidecar } from '../../src/files/sidecar.ts';
import type { Claim } from '../../src/files/claims/finish-claim.ts';
import type { OddDrop } from '../../src/files/claims/odd-drop.ts';
import type { App } from '../../src/app.ts';
import { crashPoint } from '../../src/kernel/crash-point.ts';
import { PipelineError } from '../../src/kernel/errors.ts';
import { maskName } from '../../src/kernel/mask.ts';
import type { ControlNote } from '../../src/rows/rows.ts';
import { mustBeConfirmed } from '../../src/ledger/profile/read-profiles.ts';
import type { TakenForm } from '../../src/ledger/engine/records.ts';
import { claimFile } from '../../src/ledger/file/claim-file.ts';
import { readCurrentKeyId } from '../../src/ledger/key/master-keys.ts';
import { readFileState } from '../../src/ledger/file/read-file.ts';
import type { Ledger } from '../../src/ledger/engine/open-ledger.ts';
import { lockAndQuery } from '../../src/ledger/engine/with-lock.ts';
import { archivePath, besideSealed, removeDrafts, sealFile } from '../../src/crypto/archive.ts';
import { newDataKey } from '../../src/crypto/data-key.ts';
import type { MasterKey } from '../../src/crypto/master-key.ts';
import { folderOf, ORIGINAL_PURPOSE } from '../open-original.ts';
import { poisonGuard } from '../intake/poison-guard.ts';
import { ringAfter } from '../ring.ts';
import { quarantineDrop } from '../../src/files/claims/quarantine-drop.ts';
import { newFileId } from '../../src/kernel/ids.ts';

/**
 * Seals the claimed bytes in the archive, hashes them, writes the file's row and rings for its intake. A crash at any
 * point leaves the claim in the work folder, and a repeat goes on from there.
 */
export async function takeClaim(app: App, claim: Claim): Promise<void> {
  if (await storeClaim(app, claim)) await ringAfter(app, 'intake');
}

/**
 * Does the same for a caller that takes several claims and rings once.
 * @param turn is awaited before the file enters the ledger
 * @returns whether its intake is to be rung for
 */
export async function storeClaim(app: App, claim: Claim, turn?: Promise<void>): Promise<boolean> {
  const { fileId, notes } = claim;
  return app.telemetry.trace('claim', { fileId, account: notes.account }, () => sealAndWrite(app, claim, turn));
}

async function sealAndWrite(app: App, claim: Claim, turn: Promise<void> | undefined): Promise<boolean> {
  const { fileId, notes } = claim;
  const profile = app.folder(notes.folder)?.profile;
  const ask = (ledger: Ledger) => Promise.all([readFileState(ledger, fileId), readCurrentKeyId(ledger)]);
  return lockAndQuery(app.ledger, `file:${fileId}`, ask, async ([state, keyId]) => {
    if (state !== undefined) return true;
    // Before anything is sealed: the claim waits in the work folder, where the next sweep finds it.
    if (profile !== undefined) await mustBeConfirmed(app.ledger.pool, { profile, operation: notes.operation });
    return poisonGuard(app, fileId, {
      read: async (deaths) => {
        await sealClaim(app, claim, { deaths, masterKey: chooseMasterKey(app, keyId), turn });
        return true;
      },
      giveUp: async () => {
        await quarantineOdd(app, poisonOf(claim), claim.notes.folder);
        return false;
      },
    });
  });
}

/** Returns the whole work folder, with the notes in it. */
function poisonOf({ notes, workDir }: Claim): OddDrop {
  return { name: notes.name, path: Buffer.from(workDir), code: 'DROP_POISON' };
}

/**
 * Returns the master key that the ledger names as current; a change applies from the next file on. A process without
 * that key uses its own; "paydrop key rotate" finds what it wrapped and wraps it again.
 */
export function chooseMasterKey({ keys }: App, id: string | undefined): MasterKey {
  return (id === undefined ? undefined : keys.find(id)) ?? keys.current;
}

/**
 * Sealing this much leaves 30 MB behind. V8 mostly frees it only after the reading of the file has taken its own
 * memory.
 */
const MUCH_BYTES = 16 * 1024 * 1024;

async function sealClaim(
  app: App,
  claim: Claim,
  { deaths, masterKey, turn }: { deaths: number; masterKey: MasterKey; turn: Promise<void> | undefined },
): Promise<void> {
  const { fileId, notes, account = notes.account } = claim;
  const folder = folderOf(app, notes.folder, fileId);
  const claimedAt = new Date(notes.claimedAt);
  const to = archivePath(app.settings.paths.archive, fileId, claimedAt);
  const { key, wrapped } = newDataKey(masterKey, fileId);
  if (deaths > 0) await removeDrafts(to);
  const { path, ...sealed } = await sealBeside({ from: claim.path, to, key, purpose: ORIGINAL_PURPOSE });
  crashPoint('claim.sealed');
  if (sealed.bytes >= MUCH_BYTES) collectGarbage();
  await turn;
  const isNew = await claimFile(app.ledger, {
    fileId,
    account,
    takenFor: notes.account,
    site: app.settings.site,
    folder: notes.folder,
    operation: notes.operation,
    name: maskName(notes.name),
    bytes: sealed.bytes,
    sha256: sealed.sha256,
    completeness: notes.completeness,
    claimedAt,
    wrappedKey: wrapped,
    archive: relative(app.settings.paths.archive, path),
    charset: folder.charset,
    control: await readControl(claim),
    profile: folder.profile,
    // A sender may keep the time of modification, which can be long before.
    seenAt: new Date(Math.min(notes.sinceMs, notes.mtimeMs)),
    outputForm: formNow(app, account),
    merchant: notes.merchant,
  });
  // Another try was recorded first, with an original of its own.
  if (!isNew) await rm(path, { force: true });
  else app.log.info({ fileId, folder: notes.folder, bytes: sealed.bytes }, 'file claimed');
}

/** What the outputs of a file say and how, whatever the account is called and set to when they are made. */
function formNow(app: App, name: string): TakenForm {
  const { outputs, timeZone, currency } = app.account(name);
  return { ...outputs, mostRows: app.settings.batch.maxRows, account: name, timeZone, currency };
}

/**
 * Reads the control file. A sweep that takes the work folder for empty moves it aside for a moment, so the control file
 * may only seem missing.
 * @throws ENOENT while the folder is aside; the claim waits for the next sweep
 */
async function readControl({ path, sidecar }: Claim): Promise<ControlNote | null> {
  if (sidecar === undefined) return null;
  const control = await readSidecar(sidecar);
  if (!('fault' in control)) return control;
  await lstat(path);
  return readSidecar(sidecar);
}

/**
 * Seals the claim, beside what another try has sealed. That one is never removed here: if the server was lost, its lock
 * was too, and the other try may still go on and be the one that the ledger records.
 * @returns where it was sealed, too
 */
async function sealBeside(seal: Parameters<typeof sealFile>[0]) {
  try {
    return { ...(await sealFile(seal)), path: seal.to };
  } catch (error) {
    if (!(error instanceof PipelineError) || error.code !== 'OUTPUT_EXISTS') throw error;
    const to = besideSealed(seal.to);
    return { ...(await sealFile({ ...seal, to })), path: to };
  }
}

/**
 * Collects garbage now and returns the memory, blocking for some 20 ms. Call it after work with many large buffers:
 * they lie outside V8's heap, and V8 is slow to free them.
 */
export function collectGarbage(): void {
  collect ??= exposeCollector();
  collect();
}

let collect: (() => void) | undefined;

/** Returns the collector, which V8 shows to contexts made while the flag is set. */
function exposeCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const collector: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  return collector as () => void;
}

/** Quarantines a drop that is not a plain file, unopened. */
export async function quarantineOdd(app: App, drop: OddDrop, from: string): Promise<void> {
  const named = { ...drop, name: maskName(drop.name) };
  const done = await quarantineDrop(named, {
    quarantineRoot: app.settings.paths.quarantine,
    fileId: newFileId(),
    from,
    clock: app.clock,
  });
  if (done.is !== 'quarantined') return;
  app.health.tally.add('paydrop_quarantined_total', {});
  app.log.warn({ code: drop.code, folder: from, dir: done.dir }, `drop quarantined: ${done.reason.reason}`);
}
