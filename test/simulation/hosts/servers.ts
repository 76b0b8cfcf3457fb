import { join } from 'node:path';
import { silentLog } from '../../../src/kernel/log.ts';
import { restoreBackup } from '../../../src/ledger/backup/restore-backup.ts';
import { writeBackup } from '../../../src/ledger/backup/write-backup.ts';
import { copyLedger, type LedgerCopy, putLedger, restartServer } from '../database.ts';
import type { World } from '../world.ts';

/** Maximum number of older states kept; the oldest goes first. */
const MOST_COPIES = 4;

/** Maximum number of servers at a time, each with a state of the ledger. */
export const MOST_SERVERS = 3;

export async function keepCopy({ installation: { present, copies } }: World): Promise<string> {
  copies.push(await copyLedger(present.office.pool));
  if (copies.length > MOST_COPIES) copies.shift();
  return 'a copy of the ledger is made';
}

export async function restartDatabase(world: World): Promise<string> {
  await restartServer(world.installation.present.office.pool);
  return 'the database is started again';
}

/** Puts a kept copy in place of the present ledger, while the instances stay connected. */
export async function putBack(world: World): Promise<string> {
  const { installation } = world;
  const { copy, words } = chooseCopy(world);
  await putLedger(installation.present.office.pool, copy);
  installation.timesBack += 1;
  installation.seen.delete(installation.present.no);
  return `the ledger goes back to ${words}`;
}

/** Writes a backup of the present state, as `paydrop backup` does. */
export async function writeBackupFile(world: World): Promise<string> {
  const { installation } = world;
  installation.backup = join(world.root, `ledger-${world.story.length}.backup`);
  await writeBackup(world.office, installation.backup);
  return 'a backup of the ledger is written';
}

/** Restores the backup, as `paydrop restore` does; every process has to leave first. */
export async function restore(world: World): Promise<string> {
  const { installation, instances, clock } = world;
  const { url, office, no } = installation.present;
  while (instances[0]) await world.remove(instances[0]);
  const options = { clock, log: silentLog(), actor: 'operator:ada', replace: true };
  const { keptAs } = await restoreBackup({ url }, installation.backup!, options);
  if (keptAs !== undefined) await office.pool.query(`DROP SCHEMA ${keptAs} CASCADE`);
  installation.timesBack += 1;
  installation.seen.delete(no);
  return 'the backup of the ledger is restored';
}

/** Promotes a replica while the older server lives on, with the instances that are connected to it. */
export async function splitServers(world: World): Promise<string> {
  const { installation, database } = world;
  const { copy, words } = chooseCopy(world);
  const free = [0, 1, 2].find((no) => !installation.servers.some((server) => server.no === no))!;
  const server = await database.server(free);
  await putLedger(server.office.pool, copy);
  installation.servers.push(server);
  installation.present = server;
  installation.seen.delete(server.no);
  installation.timesBack += 1;
  return `another server takes over with ${words}`;
}

/** Moves an instance to a server, mostly the present one. */
export async function moveInstance(world: World): Promise<string> {
  const { installation, choose } = world;
  const instance = choose.one(world.instances);
  const server = choose.happens(0.8) ? installation.present : choose.one(installation.servers);
  if (server !== instance.server()) await instance.moveTo(server);
  return `${instance.name} reaches ${server === installation.present ? 'the present server' : 'an older server'}`;
}

/** Ends the older servers; their instances move to the present one. */
export async function endOldServers(world: World): Promise<string> {
  const { installation } = world;
  installation.servers.splice(0, installation.servers.length, installation.present);
  for (const instance of world.instances)
    if (instance.server() !== installation.present) await instance.moveTo(installation.present);
  return 'the older servers are gone';
}

function chooseCopy({ installation: { copies }, choose }: World): { copy: LedgerCopy; words: string } {
  const place = choose.below(copies.length);
  return { copy: copies[place]!, words: `the copy before ${copies.length - place - 1} others` };
}
