import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse, stringify } from 'yaml';
import {
  type ActionOf,
  goBack,
  type Left,
  LONGEST_WAY_MS,
  otherThan,
  type Play,
  workOn,
  workTo,
} from './fleet-acts.ts';
import type { FleetHost } from './open-fleet.ts';
import { removeJournal } from './person.ts';

export async function loseJournal(act: ActionOf<'lose-journal'>, play: Play): Promise<Left> {
  const { fleet, account, count } = play;
  const host = fleet.hosts[act.host]!;
  await workTo(act.from, play);
  await fleet.server.copy();
  await workOn(act, play);
  await host.daemon.kill();
  await removeJournal(fleet, host);
  fleet.accounts.compared.add(account);
  await goBack(play);
  count('lose-journal: a journal lost, and the ledger back');
  return { isForgotten: true };
}

export async function cloneJournal(act: ActionOf<'clone-journal'>, play: Play): Promise<Left> {
  const { fleet, count } = play;
  const host = fleet.hosts[act.host]!;
  await workTo(act.from, play);
  await fleet.server.copy();
  await host.daemon.kill();
  const own = await fleet.keepJournal(host);
  await cp(otherThan(act.host, fleet).journal, host.journal);
  await host.start();
  await workOn(act, play);
  await goBack(play);
  count('clone-journal: the journal of another host in its place, and the ledger back');
  return { copies: new Map([[host.name, own]]), isForgotten: true };
}

export async function cutJournal(
  { host: number, lines, isLost }: ActionOf<'older-journal'>,
  { fleet, account, count, dropFiles }: Play,
): Promise<Left> {
  const host = fleet.hosts[number]!;
  await dropFiles();
  if ((await fleet.waitForRest(LONGEST_WAY_MS)) === undefined)
    return { trouble: 'not at rest before the journal was cut' };
  await host.daemon.kill();
  const newest = await fleet.keepJournal(host);
  const all = (await readFile(newest, 'utf8')).split('\n');
  const sends = all.flatMap((line, index) => (line.includes('"call":') ? [index] : []));
  await writeFile(host.journal, all.slice(0, sends.at(-lines) ?? all.length).join('\n'));
  if (isLost) fleet.accounts.compared.add(account);
  await fleet.server.kill();
  await fleet.ledger.close();
  await fleet.server.restart();
  count('postgres');
  count(`older-journal: the end of a journal gone${isLost ? ' for good' : ''}`);
  await host.start();
  return { copies: isLost ? new Map() : new Map([[host.name, newest]]) };
}

export async function rollBack(act: ActionOf<'roll-back-machine'>, play: Play): Promise<Left> {
  const { fleet, account, count } = play;
  const host = fleet.hosts[act.host]!;
  const mirror = `${host.root}-mirror`;
  if (act.hasMirror) await mkdir(mirror).then(() => restartWith(host, { mirror }));
  await workTo(act.from, play);
  const older = `${host.root}-older`;
  host.daemon.signal('SIGSTOP');
  await fleet.server.copy();
  await copyWhole(host.root, older);
  host.daemon.signal('SIGCONT');
  await workOn(act, play);
  await host.daemon.kill();
  await fleet.keepJournal(host);
  await rm(host.root, { recursive: true });
  await copyWhole(older, host.root);
  await rm(older, { recursive: true });
  if (!act.hasMirror) fleet.accounts.exposed.add(account);
  await goBack(play);
  const what = 'roll-back-machine: a host and the ledger put back together';
  count(act.hasMirror ? `${what}, with a mirror` : `${what} (here a double is possible)`);
  if (!act.hasMirror) return {};
  return { isForgotten: true, undo: () => restartWith(host, {}).then(() => rm(mirror, { recursive: true })) };
}

/** Keeps times to the nanosecond, which Node's own copy rounds; a claim whose file has another time is held. */
async function copyWhole(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-a', from, to]);
}

/** Restarts a host with other settings of its send journal. */
async function restartWith(host: FleetHost, journal: { mirror?: string }): Promise<void> {
  const path = join(host.root, 'paydrop.yaml');
  await host.daemon.kill();
  await writeFile(path, stringify({ ...(parse(await readFile(path, 'utf8')) as object), journal }));
  await host.start();
}
