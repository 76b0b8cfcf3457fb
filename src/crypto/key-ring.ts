import { createHmac } from 'node:crypto';
import { deriveKey, frameParts } from './derive-key.ts';
import type { KeyPlace } from './key-place.ts';
import { loadMasterKeys, type MasterKey } from './master-key.ts';

/** The master keys that a process holds. Everything wrapped carries the id of its key, so the right key opens it. */
export type KeyRing = {
  /** The first key of the place. */
  readonly current: MasterKey;
  /**
   * Returns the key with this id. An unknown id triggers one reload of the place: the keys may have changed, and a
   * running process must not need a restart for that.
   */
  find(id: string): MasterKey | undefined;
  ids(): string[];
};

/** @throws MASTER_KEY_MISSING when the place has no key */
export function openKeyRing(place: KeyPlace): KeyRing {
  let held = loadMasterKeys(place);
  const reload = () => {
    try {
      held = loadMasterKeys(place);
    } catch {
      // A place that cannot be read right now takes away no key that is held.
    }
  };
  const look = (id: string) => held.find((key) => key.id === id);
  return {
    get current() {
      return held[0]!;
    },
    find: (id) => {
      if (!look(id)) reload();
      return look(id);
    },
    ids: () => held.map((key) => key.id),
  };
}

/** Signs lists of texts with HMAC-SHA-256 and a key derived for this use alone: the roots of the audit trail. */
export type Signer = { readonly id: string; sign(parts: readonly string[]): string };

export function signerOf({ id, bytes }: MasterKey): Signer {
  const key = deriveKey(bytes, ['roots of the audit trail']);
  return { id, sign: (parts) => createHmac('sha256', key).update(frameParts(parts)).digest('hex') };
}

/** Returns how to find the signer of a key by its id. */
export function findSigner(keys: Pick<KeyRing, 'find'>): (id: string) => Signer | undefined {
  return (id) => {
    const key = keys.find(id);
    return key && signerOf(key);
  };
}

export function findKey(keys: KeyRing | MasterKey, id: string): MasterKey | undefined {
  if ('find' in keys) return keys.find(id);
  return keys.id === id ? keys : undefined;
}

export function idsOf(keys: KeyRing | MasterKey): string[] {
  return 'find' in keys ? keys.ids() : [keys.id];
}
