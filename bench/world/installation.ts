import { chmod, mkdir, mkdtemp, readdir, rename, rm, writeFile, copyFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createMasterKeyFile } from '../../src/crypto/master-key.ts';
import { plainConfig } from './plain-config.ts';

/** A folder with a configuration and an empty ledger, in which paydrop has never run. */
export type Installation = {
  readonly root: string;
  readonly out: string;
  /** Copies files beside the drop folder, so that `drop` only has to rename them. */
  bring(paths: readonly string[]): Promise<void>;
  /** Renames the brought files into the drop folder. */
  drop(): Promise<void>;
  /** Waits until the drop folder is empty, so everything is claimed. */
  claimed(): Promise<void>;
  remove(): Promise<void>;
};

export async function makeInstallation(options: Parameters<typeof plainConfig>[0]): Promise<Installation> {
  const root = await mkdtemp(join(tmpdir(), 'paydrop-bench-'));
  // The embedded PostgreSQL may run as another user, who must be able to traverse this folder.
  await chmod(root, 0o711);
  const [incoming, drop] = [join(root, 'incoming'), join(root, 'drop')];
  for (const dir of [incoming, drop, join(root, 'data')]) await mkdir(dir);
  createMasterKeyFile(join(root, 'data', 'master.key'));
  // JSON is valid YAML.
  await writeFile(join(root, 'paydrop.yaml'), JSON.stringify(plainConfig(options)), { mode: 0o600 });
  return {
    root,
    out: join(root, 'out'),
    bring: async (paths) => {
      for (const path of paths) await copyFile(path, join(incoming, basename(path)));
    },
    drop: async () => {
      for (const name of await readdir(incoming)) await rename(join(incoming, name), join(drop, name));
    },
    claimed: async () => {
      while ((await readdir(drop)).length > 0) await sleep(1);
    },
    remove: () => rm(root, { recursive: true, force: true, maxRetries: 5 }),
  };
}
