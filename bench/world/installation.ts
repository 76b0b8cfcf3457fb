import { chmod, mkdir, mkdtemp, readdir, rename, rm, writeFile, copyFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createMasterKeyFile } from '../../src/crypto/master-key.ts';
import { dropFolders, plainConfig } from './plain-config.ts';

/** Folders of a program that has never run: where it takes files from and puts its outputs. */
export type Place = {
  readonly root: string;
  readonly out: string;
  /** Drop folders, one of each account. */
  readonly drops: readonly string[];
  /** Copies files beside the drop folders, so that `drop` only has to rename them. */
  bring(paths: readonly string[]): Promise<void>;
  /** Renames the brought files into the first drop folder. */
  drop(): Promise<void>;
  /** Renames one of the brought files into a drop folder. */
  dropOne(name: string, folder: string): Promise<void>;
  /** Waits until the first drop folder is empty, so everything is claimed. */
  claimed(): Promise<void>;
  remove(): Promise<void>;
};

/** Makes a place with a configuration of paydrop and an empty ledger. */
export async function makeInstallation(options: Parameters<typeof plainConfig>[0]): Promise<Place> {
  const place = await makePlace(options.accounts);
  createMasterKeyFile(join(place.root, 'data', 'master.key'));
  // JSON is valid YAML.
  await writeFile(join(place.root, 'paydrop.yaml'), JSON.stringify(plainConfig(options)), { mode: 0o600 });
  return place;
}

export async function makePlace(accounts?: number): Promise<Place> {
  const root = await mkdtemp(join(tmpdir(), 'paydrop-bench-'));
  // The embedded PostgreSQL may run as another user, who must be able to traverse this folder.
  await chmod(root, 0o711);
  const incoming = join(root, 'incoming');
  const drops = dropFolders(accounts).map((name) => join(root, name));
  const [first = ''] = drops;
  for (const dir of [incoming, ...drops, join(root, 'data')]) await mkdir(dir);
  const dropOne = (name: string, folder: string) => rename(join(incoming, name), join(folder, name));
  return {
    root,
    out: join(root, 'out'),
    drops,
    bring: async (paths) => {
      for (const path of paths) await copyFile(path, join(incoming, basename(path)));
    },
    drop: async () => {
      for (const name of await readdir(incoming)) await dropOne(name, first);
    },
    dropOne,
    claimed: async () => {
      while ((await readdir(first)).length > 0) await sleep(1);
    },
    remove: () => rm(root, { recursive: true, force: true, maxRetries: 5 }),
  };
}
