import { join } from 'node:path';
import type { Log } from '../../kernel/log.ts';
import type { ServerUser } from './server-user.ts';

/** Where a database cluster lives and as whom its server runs. */
export type ClusterPlace = {
  /** The data folder of the installation, as the kernel spells it. */
  dataDir: string;
  /** Folder of the whole cluster: 0700, owned by the user that the server runs as. */
  home: string;
  /** Undefined when the server runs as our own user, which is so for everyone but root. */
  user: ServerUser | undefined;
};

export type Cluster = ClusterPlace & {
  fsync: boolean;
  log: Log;
  /** The folder of initdb, pg_ctl and postgres, made usable for `user` at the first call. */
  findPrograms(): Promise<string>;
};

/**
 * Names inside the home folder. The programs run inside it and get these relative names, because pg_ctl puts them into
 * a shell command where a dollar sign or a quote of a longer path would be read as shell syntax.
 */
export const DATA_NAME = 'data';
export const LOG_NAME = 'server.log';

export function dataFolderOf(place: ClusterPlace): string {
  return join(place.home, DATA_NAME);
}

export function logFileOf(place: ClusterPlace): string {
  return join(place.home, LOG_NAME);
}
