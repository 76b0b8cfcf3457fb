import type { OpenPgpConfig } from '../../schemas/config.ts';
import type { ConfigFault } from './config-faults.ts';
import { readKeySource, readPublicText, type Secret } from './config-secret.ts';

/** Reads an account's keys as armored text, which is parsed when they are opened. Adds its faults to `faults`. */
export function readOpenPgp(
  config: OpenPgpConfig,
  path: string,
  { root, env, faults }: { root: string; env: NodeJS.ProcessEnv; faults: ConfigFault[] },
): OpenPgpConfig {
  const valueOf = (name: string, secret: Secret): string => {
    if ('value' in secret) return secret.value;
    faults.push({ path: `${path}.${name}`, reason: secret.fault });
    return '';
  };
  const { key, passphrase, senders } = config;
  return {
    ...config,
    key: valueOf('key', readKeySource(key, root, env)),
    ...(passphrase !== undefined && { passphrase: valueOf('passphrase', readKeySource(passphrase, root, env)) }),
    senders: senders.map((text, index) => valueOf(`senders.${index}`, readPublicText(text, root, env))),
  };
}
