import { setTimeout as sleep } from 'node:timers/promises';
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { appendFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dropQueue } from '../../support/force-sql.ts';
import { type Act, describeOrder, needsPerson, type Order } from './acts.ts';
import type { World } from './open-world.ts';
import { altered, declinedDrop, type Drop } from './make-drops.ts';
import { playMerchantAct } from './play-merchant-act.ts';
import { arm, runCommand } from './service.ts';
import { describeUnrest, type Scene } from '../tell-story.ts';

/** How often each kind of process was killed, and what else was done. */
export type Tally = Record<string, number>;

/** What is not reached within this time, in ms, is never reached. A busy machine gets its time. */
export const LONGEST_WAY_MS = 300_000;

export type Play = Scene & { world: World };

/**
 * Drops fresh files, does what the act says while they are processed, and restarts what has died.
 * @returns what went wrong, or undefined when all is well
 */
export async function playAct(act: Act, play: Play): Promise<string | undefined> {
  const { world, tally, dropFiles } = play;
  const count = (name: string) => {
    tally[name] = (tally[name] ?? 0) + 1;
  };
  switch (act.kind) {
    case 'point': {
      // What an earlier act left to be sent again would reach the point before this account has something selected.
      if (needsPerson(act.order) && (await world.waitForRest(LONGEST_WAY_MS)) === undefined)
        return `not at rest before its point was set: ${await describeUnrest(world)}`;
      await arm(world.daemon, act.order);
      await dropFiles();
      const trouble = needsPerson(act.order) ? await reprocess(play) : undefined;
      if (trouble !== undefined) return trouble;
      const isEarly = await diesAt(world, act.order);
      if (isEarly === 'never') return `${describeOrder(act.order)} was not reached`;
      count(isEarly === 'there' ? `point ${nameOf(act.order)}` : 'daemon, before its point');
      if (!act.after) break;
      await world.start(act.after);
      if ((await diesAt(world, act.after)) !== 'there') return `${describeOrder(act.after)} was not reached`;
      count(`point ${nameOf(act.after)}`);
      break;
    }
    case 'moment':
      await dropFiles();
      await sleep(act.afterMs);
      await world.daemon.kill();
      count('daemon, at a random moment');
      break;
    case 'sandbox':
      await dropFiles();
      await sleep(act.afterMs);
      await world.service.kill();
      count('sandbox');
      await sleep(act.downMs);
      await world.service.restart();
      return undefined;
    case 'redis-flush':
      await dropFiles();
      await sleep(act.afterMs);
      await world.redis?.flush();
      count('redis flushed');
      return undefined;
    case 'redis-older':
      await world.redis?.snapshot();
      await dropFiles();
      await sleep(act.afterMs);
      await world.redis?.bringBackOlder();
      count('redis killed, older snapshot');
      return undefined;
    case 'drop-schema':
      await dropFiles();
      await sleep(act.afterMs);
      await dropQueue(world.ledger);
      count('queue schema dropped');
      return undefined;
    case 'postgres':
      await dropFiles();
      await sleep(act.afterMs);
      await world.killDatabase();
      count('postgres');
      // Without its database the daemon can only fail; then it dies too.
      await sleep(act.lonelyMs);
      await world.daemon.kill();
      break;
    case 'disk':
      world.disks?.fill(act.where);
      await dropFiles();
      await sleep(act.fullMs);
      world.disks?.free(act.where);
      count(`disk of ${act.where} full`);
      return undefined;
    case 'restore':
    case 'altered':
      // Earlier work is done first, so that only this account's files can be forgotten.
      if ((await world.waitForRest(LONGEST_WAY_MS)) === undefined)
        return `not at rest before the copy was made: ${await describeUnrest(world)}`;
      await dropFiles();
      await sleep(act.afterMs);
      await world.stopAll();
      copyDatabase(world.place.root);
      await world.start();
      if ((await world.waitForRest(LONGEST_WAY_MS)) === undefined)
        return `not at rest before the restore: ${await describeUnrest(world)}`;
      await world.stopAll();
      bringBackDatabase(world.place.root);
      count('older ledger restored');
      return afterRestore(act, play);
    case 'rename':
    case 'second-name':
    case 'exchange':
    case 'other-currency':
      return playMerchantAct(act, play);
    case 'old-marker':
      await dropFiles((drop) => (drop.folder === 'card' ? writeSlowly(act, drop, play) : world.drop(drop)));
      return undefined;
  }
  await world.start();
  return undefined;
}

/** A person has the declined payments of the account sent again. @returns what went wrong */
async function reprocess({ program, world }: Play): Promise<string | undefined> {
  const { account } = world.drops.at(-1)!;
  const drop = declinedDrop(account);
  world.drops.push(drop);
  world.accounts.reprocessed.add(account);
  await world.place.drop(drop);
  if ((await world.waitForRest(LONGEST_WAY_MS)) === undefined)
    return `not at rest before the selection: ${await describeUnrest(world)}`;
  const paydrop = (...words: string[]) => runCommand(program, world.place.root, ['reprocess', ...words]);
  const selected = await paydrop('select', '--account', account);
  const [, no] = / reprocess run (\d+)/.exec(selected.said) ?? [];
  if (no === undefined) return `nothing was selected: ${selected.said}`;
  const { status, said } = await paydrop('run', no, '--reason', 'the line to the bank is up again');
  return status === 0 ? undefined : `"reprocess run" ended with ${status}: ${said}`;
}

/**
 * Handles an account that is stopped because the journal knows more than the ledger. An operator checks and resumes it.
 * The sender drops files again that the ledger does not know, which must not be charged again.
 */
async function afterRestore(
  act: Extract<Act, { kind: 'restore' | 'altered' }>,
  { program, world, account }: Play,
): Promise<string | undefined> {
  const { place, ledger, accounts, drops } = world;
  accounts.forgotten.add(account);
  await world.start();
  if ((await world.waitForRest(LONGEST_WAY_MS)) === undefined)
    return `not at rest after the restore: ${await describeUnrest(world)}`;
  const reason = ['--reason', 'the books of the service were read'];
  for (const verb of ['acknowledge', 'resume']) {
    const { status, said } = await runCommand(program, place.root, ['account', verb, account, ...reason]);
    if (status !== 0) return `"account ${verb}" ended with ${status}: ${said}`;
  }
  const known = new Set((await ledger.query<{ name: string }>('SELECT name FROM file')).map(({ name }) => name));
  for (const drop of drops.filter((one) => one.account === account)) {
    if (act.kind === 'altered' && drop.verdict === 'accept') {
      const again = altered(drop, act.how, { verdict: 'altered' });
      drops.push(again);
      await place.drop(again);
    } else if (!known.has(drop.name)) await place.drop(drop);
  }
  return undefined;
}

/**
 * Writes a file in two halves into a folder where yesterday's marker of the same name lies. The daemon dies in between.
 * Its marker of today comes last.
 */
async function writeSlowly(
  { afterMs, pauseMs }: Extract<Act, { kind: 'old-marker' }>,
  drop: Drop,
  { world, tally }: Play,
): Promise<void> {
  const path = world.place.pathOf(drop);
  const yesterday = Date.now() / 1_000 - 86_400;
  await writeFile(`${path}.done`, '');
  await utimes(`${path}.done`, yesterday, yesterday);
  // The first half could pass for a file of fewer rows.
  const half = drop.content.indexOf('\n', drop.content.length / 2) + 1;
  await writeFile(path, drop.content.slice(0, half));
  await sleep(afterMs);
  await world.daemon.kill();
  tally['daemon, beside an old marker'] = (tally['daemon, beside an old marker'] ?? 0) + 1;
  await world.start();
  await sleep(pauseMs);
  await appendFile(path, drop.content.slice(half));
  await sleep(pauseMs);
  await rm(`${path}.done`, { force: true });
  await writeFile(`${path}.done`, '');
}

function nameOf({ point, move }: Order): string {
  return move === undefined ? point : `${point} of ${move}`;
}

/**
 * Waits until the daemon dies where the order says. A later passage of a point may never come; then it is killed where
 * it is.
 */
async function diesAt(world: World, order: Order): Promise<'there' | 'elsewhere' | 'never'> {
  const end = performance.now() + LONGEST_WAY_MS;
  while (world.daemon.isAlive() && performance.now() < end) {
    if (order.hits > 1 && (await world.ledger.isAtRest()) && (await world.place.leftovers()).length === 0) break;
    await sleep(20);
  }
  if (!world.daemon.isAlive()) {
    return (await world.daemon.ended) === 'SIGKILL' ? 'there' : 'never';
  }
  await world.daemon.kill();
  return order.hits > 1 ? 'elsewhere' : 'never';
}

/**
 * Copies the database's folder while its server is dead; `bringBackDatabase` puts the copy back, like an old base
 * backup. Owners and modes are kept, because the server has its own user where the tests run as root.
 */
function copyDatabase(root: string): void {
  rmSync(copyOf(root), { recursive: true, force: true });
  execFileSync('cp', ['-a', databaseOf(root), copyOf(root)]);
}

function bringBackDatabase(root: string): void {
  rmSync(databaseOf(root), { recursive: true, force: true });
  execFileSync('cp', ['-a', copyOf(root), databaseOf(root)]);
}

function databaseOf(root: string): string {
  return join(root, 'data', 'postgres', 'data');
}

/** Returns a folder that the search for numbers does not read a second time. */
function copyOf(root: string): string {
  return join(root, 'older-database');
}
