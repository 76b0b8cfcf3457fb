import { cp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { copyLedger, putLedger } from '../database.ts';
import { noteLost, putsFolderBack } from '../hosts/lost-sends.ts';
import { startInstance } from './run-stage.ts';
import type { World } from '../world.ts';
import { dropAgain, dropAltered, dropFile } from './drop-file.ts';
import { type Step, tell } from './step.ts';

/**
 * A data folder, with ledger, send journal and claims, is put back as it was while the machine runs on. Nobody tells
 * paydrop. The service alone has what was sent since, or a mirror of the send journal on another disk.
 */
export const FOLDER_STEPS: readonly Step[] = [
  {
    name: 'the data folder is copied',
    weight: 3,
    isPossible: (world) => putsFolderBack(world) && world.sends.length > 0,
    take: copyFolder,
  },
  {
    name: 'the data folder is put back',
    weight: 8,
    // Nothing is lost before something was sent.
    isPossible: ({ installation, sends }) => sends.length > (installation.folder?.sends ?? Infinity),
    take: putFolderBack,
  },
];

/**
 * Copies the data folder of a world at rest, lets new files be sent, and puts the folder back. Most calls of a scenario
 * are made while it comes to rest, so steps alone would seldom lose one.
 * @param settle lets the program work until nothing moves
 * @returns what still moves when it should have come to rest
 */
export async function loseWork(world: World, settle: (world: World) => Promise<string[]>): Promise<string[]> {
  world.totals.count('steps', 'the data folder is copied');
  await copyFolder(world);
  for (let files = world.choose.between(1, 2); files > 0; files -= 1) await dropFile(world, false);
  const unrest = await settle(world);
  if (unrest.length > 0) return unrest;
  world.totals.count('steps', 'the data folder is put back');
  await putFolderBack(world);
  return settle(world);
}

/** A cold copy: every process ends before. */
async function copyFolder(world: World): Promise<void> {
  const { installation, settings, root } = world;
  while (world.instances[0]) await world.remove(world.instances[0]);
  const path = join(root, 'copies', `data-${world.story.length}`);
  await cp(settings.paths.data, path, { recursive: true, preserveTimestamps: true });
  installation.folder = { path, ledger: await copyLedger(world.office.pool), sends: world.sends.length };
  tell(world, 'the data folder is copied');
}

async function putFolderBack(world: World): Promise<void> {
  const { installation, settings, choose } = world;
  const { path, ledger } = installation.folder!;
  while (world.instances[0]) await world.remove(world.instances[0]);
  const { data, journal } = settings.paths;
  await rm(data, { recursive: true });
  await cp(path, data, { recursive: true, preserveTimestamps: true });
  const isRolledBack = choose.happens(0.3);
  if (isRolledBack) await keepIdentity(join(dirname(journal), 'folder-mark.json'));
  await putLedger(world.office.pool, ledger);
  // The queue of such an installation lies in the same database.
  world.queue.dropAll();
  installation.timesBack += 1;
  installation.folder = { path, ledger, sends: world.sends.length };
  installation.seen.delete(installation.present.no);
  const how = isRolledBack ? 'by a roll-back of the disk' : 'from the copy';
  const place = tell(world, `the data folder is put back ${how}`);
  const lost = await noteLost(world, isRolledBack);
  world.totals.count('ledgers', `folder put back ${how}`);
  const findable = lost.filter(({ isFindable }) => isFindable).length;
  world.totals.count('ledgers', 'calls lost with the folder, to be found', findable);
  world.totals.count('ledgers', 'calls lost with the folder for good', lost.length - findable);
  place.add(`${lost.length} calls are lost with it, ${findable} can be found`);
  const invoices = new Set(lost.flatMap(({ rows }) => [...rows.values()].map((key) => key.split(' ')[2]!)));
  const drops = world.drops.filter(({ bytes }) => [...invoices].some((invoice) => bytes.includes(invoice)));
  if (drops.length === 0 || world.drops.length > 8 || !choose.happens(0.8)) return;
  await startInstance(world, 0);
  await (choose.happens(0.5) ? dropAgain : dropAltered)(world, drops);
}

/** A roll-back of the disk keeps each file as it was, so the mark of the folder is still the one that it names. */
async function keepIdentity(path: string): Promise<void> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return;
  const file = await open(path, 'r');
  try {
    const { ino, birthtimeNs } = await file.stat({ bigint: true });
    const mark = { ...(JSON.parse(text) as object), inode: String(ino), born: String(birthtimeNs) };
    await writeFile(path, JSON.stringify(mark));
  } finally {
    await file.close();
  }
}
