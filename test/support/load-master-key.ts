import { findKeyPlace } from '../../src/crypto/key-place.ts';
import { loadMasterKeys, type MasterKey } from '../../src/crypto/master-key.ts';

/** Returns the current master key where the configuration does not set one. */
export function loadMasterKey({ file, env }: { file: string; env: NodeJS.ProcessEnv }): MasterKey {
  return loadMasterKeys(findKeyPlace({ root: '/', paths: { masterKey: file } }, env))[0]!;
}

export function masterKeyOf(fill: number): MasterKey {
  return loadMasterKey({ file: '/nowhere', env: { PAYDROP_MASTER_KEY: textOf(fill) } });
}

/** Returns a key of 32 equal bytes in its written form. */
export function textOf(fill: number): string {
  return Buffer.alloc(32, fill).toString('base64');
}
