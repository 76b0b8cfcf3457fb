import { byNumber, counted } from '../../kernel/counted.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { AuditReason } from '../../ledger/engine/move.ts';
import type { Ledger } from '../../ledger/engine/open-ledger.ts';
import { type KeyUse, makeKeyCurrent, readKeyUses, rewrapAll } from '../../ledger/key/master-keys.ts';
import { withLock } from '../../ledger/engine/with-lock.ts';
import { rewrapDataKey } from '../../crypto/data-key.ts';
import { rewrapFingerprintKey } from '../../crypto/fingerprints/fingerprint.ts';
import { describeKeyPlace, type KeyPlace } from '../../crypto/key-place.ts';
import { type KeyRing, openKeyRing } from '../../crypto/key-ring.ts';
import { loadMasterKeys, type MasterKey, newMasterKey, replaceMasterKeyFile } from '../../crypto/master-key.ts';

export type Rotated = { current: string; rewrapped: number; isNew: boolean };

/**
 * Rotates the master key: makes the first key of its place the current one and wraps everything with it. If it already
 * wraps everything, a new key is made, which only a file allows. After a crash the first key does not wrap everything
 * yet, so repeating the call finishes the rotation.
 * @throws KEY_IN_USE when the place has no new key, MASTER_KEY_WRONG when a key is missing that wraps something;
 * nothing was changed then
 */
export async function rotateKey(ledger: Ledger, place: KeyPlace, because: AuditReason): Promise<Rotated> {
  // Two rotations at once would each add a new key to the old ones they read, and one new key would be lost.
  return withLock(ledger, KEY_LOCK, () => rotateAlone(ledger, place, because));
}

/** Lock held by any process that changes the place of the keys. */
export const KEY_LOCK = 'master keys';

async function rotateAlone(ledger: Ledger, place: KeyPlace, because: AuditReason): Promise<Rotated> {
  const isDone = isWrappedBy(openKeyRing(place).current.id, await readKeyUses(ledger));
  if (isDone) addNewKey(place);
  const keys = openKeyRing(place);
  const { current } = keys;
  await mustHoldAll(ledger, keys);
  await makeKeyCurrent(ledger, current.id, because);
  const rewrapped = await rewrapAll(ledger, current.id, rewrapWith(keys, current), because);
  return { current: current.id, rewrapped, isNew: isDone };
}

/** Returns whether this key is the current one and the only one that wraps anything. */
function isWrappedBy(id: string, uses: readonly KeyUse[]): boolean {
  const others = uses.filter((use) => use.id !== id);
  return others.every((use) => use.files + use.others === 0 && !use.isCurrent);
}

function addNewKey(place: KeyPlace): void {
  if (place.kind === 'file') return replaceMasterKeyFile(place.path, [newMasterKey(), ...loadMasterKeys(place)]);
  const next =
    'Put a new key before the present one, separated by a comma or a line end, on every host, and try again.';
  const reason = `${describeKeyPlace(place)} gives no new one`;
  throw new PipelineError('KEY_IN_USE', 'change the master key', reason, { next });
}

/** Checks before anything changes: keys half rewrapped, with a master key missing, would be worse than no change. */
async function mustHoldAll(ledger: Ledger, keys: KeyRing): Promise<void> {
  const uses = await readKeyUses(ledger);
  for (const use of uses) {
    const wrapped = use.files + use.others;
    if (wrapped > 0 && !keys.find(use.id)) {
      const reason = `${counted(wrapped, 'key')} ${byNumber(wrapped, 'is', 'are')} wrapped with master key ${use.id}, which is not there`;
      throw new PipelineError('MASTER_KEY_WRONG', 'change the master key', reason);
    }
    if (use.retiredAt && use.id === keys.current.id) {
      const next = 'Make a new key and put it first.';
      throw new PipelineError('MASTER_KEY_WRONG', `go back to master key "${use.id}"`, 'it is retired', { next });
    }
  }
}

function rewrapWith(keys: KeyRing, to: MasterKey) {
  return {
    file: (fileId: string, wrapped: Buffer) => rewrapDataKey(keys, to, fileId, wrapped),
    vault: (_name: string, wrapped: Buffer) => rewrapFingerprintKey(keys, to, wrapped),
  };
}
