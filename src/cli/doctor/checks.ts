import type { Check } from './check.ts';
import { clock } from './clock.ts';
import { destroyedKeys } from './destroyed-keys.ts';
import { diskSpace } from './disk-space.ts';
import { failing } from './failing.ts';
import { fileSystems } from './file-systems.ts';
import { folders } from './folders.ts';
import { journal } from './journal.ts';
import { keyFile } from './key-file.ts';
import { masterKey } from './master-key.ts';
import { openpgp } from './openpgp.ts';
import { originals } from './originals.ts';
import { permissions } from './permissions.ts';
import { postgres } from './postgres.ts';
import { quarantine } from './quarantine.ts';
import { queue } from './queue.ts';
import { seals } from './seals.ts';
import { service } from './service.ts';
import { sftpServers } from './sftp-servers.ts';
import { temporaries } from './temporaries.ts';
import { workFolders } from './work-folders.ts';

/** In print order: checks that others depend on come first. */
export const CHECKS: readonly Check[] = [
  folders,
  fileSystems,
  permissions,
  diskSpace,
  keyFile,
  openpgp,
  postgres,
  clock,
  queue,
  masterKey,
  seals,
  journal,
  workFolders,
  originals,
  destroyedKeys,
  failing,
  quarantine,
  temporaries,
  service,
  sftpServers,
];
