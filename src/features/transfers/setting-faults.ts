import { type ConfigFault, missing } from '../../config/config-faults.ts';
import type { Settings } from '../../config/config.ts';

/** Finds undefined remotes, which would otherwise be noticed only at the first transfer. */
export function findRemoteFaults({ folders, push, remotes, accounts }: Settings): ConfigFault[] {
  const users = [
    ...folders.flatMap(({ pull }, index) =>
      pull ? [{ path: `folders.${index}.pull.remote`, name: pull.remote }] : [],
    ),
    ...push.map(({ remote }, index) => ({ path: `push.${index}.remote`, name: remote })),
  ];
  return [
    ...users
      .filter(({ name }) => !Object.hasOwn(remotes, name))
      .map(({ path, name }) => ({ path, reason: missing('remote', name, Object.keys(remotes)) })),
    ...push.flatMap((target, index) =>
      (target.accounts ?? [])
        .filter((name) => !accounts.has(name))
        .map((name) => ({ path: `push.${index}.accounts`, reason: missing('account', name, accounts.keys()) })),
    ),
  ];
}
