import type { KeyPlace } from './key-place.ts';
import { loadMasterKeys, type MasterKey } from './master-key.ts';

/** The master keys that a process holds. What is wrapped carries the id of its key, so each opens its own. */
export type KeyRing = {
  /** The first of its place. */
  readonly current: MasterKey;
  /**
   * The key of this id. One that is not held is looked for in its place once more before it counts as unknown: the keys
   * may have been changed since, and a process that runs must not be started again for that.
   */
  find(id: string): MasterKey | undefined;
  /** Those that are held now, the current one first. */
  ids(): string[];
};

/** @throws MASTER_KEY_MISSING when the place has no key */
export function openKeyRing(place: KeyPlace): KeyRing {
  let held = loadMasterKeys(place);
  const reload = () => {
    try {
      held = loadMasterKeys(place);
    } catch {
      // A place that cannot be read just now takes away no key that is held.
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

export function findKey(keys: KeyRing | MasterKey, id: string): MasterKey | undefined {
  if ('find' in keys) return keys.find(id);
  return keys.id === id ? keys : undefined;
}

export function idsOf(keys: KeyRing | MasterKey): string[] {
  return 'find' in keys ? keys.ids() : [keys.id];
}
