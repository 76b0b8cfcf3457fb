import { findKeyPlace } from '../../src/crypto/key-place.ts';
import { loadMasterKeys, type MasterKey } from '../../src/crypto/master-key.ts';

/** The current master key, where the configuration says nothing about it. */
export function loadMasterKey({ file, env }: { file: string; env: NodeJS.ProcessEnv }): MasterKey {
  return loadMasterKeys(findKeyPlace({ root: '/', paths: { masterKey: file } }, env))[0]!;
}

export function masterKeyOf(fill: number): MasterKey {
  return loadMasterKey({ file: '/nowhere', env: { PAYDROP_MASTER_KEY: textOf(fill) } });
}

/** A key of 32 equal bytes as it is written down. */
export function textOf(fill: number): string {
  return Buffer.alloc(32, fill).toString('base64');
}
