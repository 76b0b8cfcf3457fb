import { lstat, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
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
import { type ClaimedFile, claimFiles } from '../../src/ledger/file/claim-file.ts';
import { readCurrentKeyId } from '../../src/ledger/key/master-keys.ts';
import { endReading, findBeingRead } from '../../src/ledger/file/count-readings.ts';
import { findKnownFiles, readFileRow } from '../../src/ledger/file/read-file.ts';
import { withLock } from '../../src/ledger/engine/with-lock.ts';
import { archivePath, besideSealed, removeDrafts, sealFile } from '../../src/crypto/archive.ts';
import { newDataKey } from '../../src/crypto/data-key.ts';
import type { MasterKey } from '../../src/crypto/master-key.ts';
import { folderOf, ORIGINAL_PURPOSE } from '../open-original.ts';
import { groupForReading, poisonGuard } from '../intake/poison-guard.ts';
import { quarantineDrop } from '../../src/files/claims/quarantine-drop.ts';
import { newFileId } from '../../src/kernel/ids.ts';

/** What became of a claim: the ledger has it, it was set aside in the quarantine, or it stays in the work folder. */
export type Stored = 'stored' | 'set aside' | { readonly error: unknown };

/**
 * Takes claims into the ledger, one or many: seals their bytes in the archive, hashes them, and writes their rows in this
 * order. One that fails leaves the others alone. A crash at any point leaves a claim in the work folder, and a repeat goes on
 * from there. Their intake is not rung for.
 */
export async function storeClaims(app: App, claims: readonly Claim[]): Promise<ReadonlyMap<Claim, Stored>> {
  const stored = new Map<Claim, Stored>();
  if (claims.length === 0) return stored;
  const ids = claims.map(({ fileId }) => fileId);
  return withLock(
    app.ledger,
    ids.map((id) => `file:${id}`),
    async () => {
      const { ledger } = app;
      const [known, beingRead, keyId] = await Promise.all([
        findKnownFiles(ledger.pool, ids),
        findBeingRead(ledger, ids),
        readCurrentKeyId(ledger),
      ]);
      const fresh = claims.filter(({ fileId }) => !known.has(fileId));
      for (const claim of claims) if (known.has(claim.fileId)) stored.set(claim, 'stored');
      // A large file would keep the others waiting; one that was left by a reader that died may kill this one too.
      const isAlone = ({ fileId, notes }: Claim) => notes.bytes >= MUCH_BYTES || beingRead.has(fileId);
      for (const group of groupForReading(fresh, isAlone))
        for (const one of await storeGroup(app, group, chooseMasterKey(app, keyId))) stored.set(...one);
      return stored;
    },
  );
}

async function storeGroup(
  app: App,
  claims: readonly Claim[],
  masterKey: MasterKey,
): Promise<ReadonlyMap<Claim, Stored>> {
  const ids = claims.map(({ fileId }) => fileId);
  try {
    return await poisonGuard(app, ids, {
      read: async (deaths) => {
        const stored = await sealAndRecord(app, claims, { deaths, masterKey });
        const failed = claims.filter((claim) => typeof stored.get(claim) === 'object');
        if (failed.length > 0) await endReading(app.ledger, ...failed.map(({ fileId }) => fileId));
        return stored;
      },
      giveUp: async () => {
        await quarantineOdd(app, poisonOf(claims[0]!), claims[0]!.notes.folder);
        return new Map([[claims[0]!, 'set aside']]);
      },
    });
  } catch (error) {
    return new Map(claims.map((claim) => [claim, { error }]));
  }
}

/** Records together what could be sealed. If the ledger refuses that, each is recorded by itself. */
async function sealAndRecord(
  app: App,
  claims: readonly Claim[],
  how: { deaths: number; masterKey: MasterKey },
): Promise<ReadonlyMap<Claim, Stored>> {
  const stored = new Map<Claim, Stored>();
  const sealed = new Map<Claim, ClaimedFile>();
  await Promise.all(
    claims.map(async (claim) => {
      const { fileId, notes } = claim;
      try {
        const seal = () => sealClaim(app, claim, how);
        sealed.set(claim, await app.telemetry.trace('claim', { fileId, account: notes.account }, seal));
      } catch (error) {
        stored.set(claim, { error });
      }
    }),
  );
  const inOrder = claims.flatMap((claim) => {
    const file = sealed.get(claim);
    return file ? [[claim, file] as const] : [];
  });
  const record = async (some: typeof inOrder) => {
    const isNew = await claimFiles(
      app.ledger,
      some.map(([, file]) => file),
    );
    for (const [claim, file] of some) {
      const { fileId, folder, bytes } = file;
      if (isNew.has(fileId)) app.log.info({ fileId, folder, bytes }, 'file claimed');
      else await removeUnrecorded(app, file);
      stored.set(claim, 'stored');
    }
  };
  if (inOrder.length === 0) return stored;
  await record(inOrder).catch(async (error: unknown) => {
    if (inOrder.length === 1) stored.set(inOrder[0]![0], { error });
    else
      for (const one of inOrder) await record([one]).catch((why: unknown) => void stored.set(one[0], { error: why }));
  });
  return stored;
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

/**
 * Removes the original of a try when another was recorded first, with an original of its own. If the ledger has this very
 * one, it was recorded, and only the answer was lost.
 */
async function removeUnrecorded(app: App, { fileId, archive }: ClaimedFile): Promise<void> {
  const recorded = await readFileRow(app.ledger, fileId);
  if (recorded.archive !== archive) await rm(join(app.settings.paths.archive, archive), { force: true });
}

/** @returns what the ledger is to know of it */
async function sealClaim(
  app: App,
  claim: Claim,
  { deaths, masterKey }: { deaths: number; masterKey: MasterKey },
): Promise<ClaimedFile> {
  const { fileId, notes, account = notes.account } = claim;
  const { operation } = notes;
  const folder = folderOf(app, notes.folder, fileId);
  const { profile } = folder;
  // Before anything is sealed: the claim waits in the work folder, where the next sweep finds it.
  if (profile !== undefined) await mustBeConfirmed(app.ledger.pool, { profile, operation });
  const claimedAt = new Date(notes.claimedAt);
  const to = archivePath(app.settings.paths.archive, fileId, claimedAt);
  const { key, wrapped } = newDataKey(masterKey, fileId);
  if (deaths > 0) await removeDrafts(to);
  const { path, ...sealed } = await sealBeside({ from: claim.path, to, key, purpose: ORIGINAL_PURPOSE });
  crashPoint('claim.sealed');
  if (sealed.bytes >= MUCH_BYTES) collectGarbage();
  return {
    fileId,
    account,
    takenFor: notes.account,
    site: app.settings.site,
    folder: notes.folder,
    operation,
    name: maskName(notes.name),
    bytes: sealed.bytes,
    sha256: sealed.sha256,
    completeness: notes.completeness,
    claimedAt,
    wrappedKey: wrapped,
    archive: relative(app.settings.paths.archive, path),
    charset: folder.charset,
    control: await readControl(claim),
    profile,
    // A sender may keep the time of modification, which can be long before; some tools set one before 1970.
    seenAt: new Date(Math.max(0, Math.min(notes.sinceMs, notes.mtimeMs))),
    outputForm: formNow(app, account),
    merchant: notes.merchant,
  };
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
