/** What the names of keys of features in `vault_key` begin with. */
const VAULT = 'feature ';

/**
 * Returns the name of a feature's key in `vault_key`, which is also what the key is bound to. So the master key can be
 * changed while the feature is left out.
 */
export function featureKeyName(feature: string): string {
  return VAULT + feature;
}

/** Returns whose key of this name it is; undefined for a key that is no feature's. */
export function featureOfVaultKey(name: string): string | undefined {
  return name.startsWith(VAULT) ? name.slice(VAULT.length) : undefined;
}
