import { join } from 'node:path';
import type { Log } from '../../kernel/log.ts';
import type { ServerUser } from './server-user.ts';

/** Where a database cluster lives, and as which user its server runs. */
export type ClusterPlace = {
  /** The data folder of the installation, as the kernel spells it. */
  dataDir: string;
  /** Folder of the whole cluster: 0700, owned by the server's user. */
  home: string;
  /** Undefined when the server runs as our own user, as it does for everyone but root. */
  user: ServerUser | undefined;
};

export type Cluster = ClusterPlace & {
  fsync: boolean;
  log: Log;
  /** Returns the folder of initdb, pg_ctl and postgres, made usable for `user` at the first call. */
  findPrograms(): Promise<string>;
};

/**
 * Names inside the home folder. The programs run there and get these relative names, because pg_ctl puts them into a
 * shell command. The shell would interpret a dollar sign or quote in a longer path.
 */
export const DATA_NAME = 'data';
export const LOG_NAME = 'server.log';

export function dataFolderOf(place: ClusterPlace): string {
  return join(place.home, DATA_NAME);
}

export function logFileOf(place: ClusterPlace): string {
  return join(place.home, LOG_NAME);
}
