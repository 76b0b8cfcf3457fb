import { copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { randomUUID } from 'node:crypto';
import type { World } from '../world.ts';
import type { Host } from './installation.ts';
import { callsOf, idOf, readLines } from './journal-file.ts';

/** Returns the hosts whose journal is still whole and can be damaged. */
export function damageable({ installation }: World): Host[] {
  return installation.hosts.filter((host) => host.journal === 'whole');
}

/** Loses, cuts or exchanges a journal. Skips damage that no ledger and no other journal could notice. */
export async function damageJournal(world: World): Promise<string> {
  const host = world.choose.one(damageable(world));
  const how = world.choose.one(['lost', 'older', 'of another installation'] as const);
  for (const instance of world.instances.filter((one) => one.host === host)) await world.remove(instance);
  host.isAway = true;
  const { journal: path } = host.settings.paths;
  const states = await readStates(world);
  const lines = await readLines(host);
  const id = idOf(lines);
  const isKnown = id !== undefined && states.every(({ senders }) => senders.includes(id));
  if (!isKnown) return `host ${host.name} is switched off`;
  switch (how) {
    case 'lost':
      await keepWhole(host);
      await rm(path);
      host.journal = 'lost';
      return `host ${host.name} is off, and its send journal is lost`;
    case 'older': {
      const text = await readFile(path, 'utf8');
      const all = text.split('\n');
      const kept = all.slice(0, -world.choose.between(1, 6));
      const left = callsOf(kept.flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : [])));
      const isFound = states.every(({ answered }) => answered.some((one) => one.journal === id && !left.has(one.call)));
      if (!isFound) return `host ${host.name} is switched off`;
      await writeFile(path, kept.join('\n'));
      // Without its beginning it is no journal, and another is begun in its place.
      host.journal = idOf(await readLines(host)) === undefined ? 'lost' : 'older';
      return `host ${host.name} is off, and an older copy of its send journal is put back`;
    }
    case 'of another installation': {
      await keepWhole(host);
      await writeFile(path, text(lines, randomUUID()));
      host.journal = 'foreign';
      return `host ${host.name} is off, and the send journal of another installation lies there`;
    }
  }
}

/** Returns where the right journal of a host lies after its own was lost or exchanged. */
export function wholePathOf(host: Host): string {
  return `${host.settings.paths.journal}.whole`;
}

async function keepWhole(host: Host): Promise<void> {
  await mkdir(dirname(wholePathOf(host)), { recursive: true });
  await copyFile(host.settings.paths.journal, wholePathOf(host));
}

/** Puts the right journal back in its place. */
export async function putWholeBack(host: Host): Promise<void> {
  await rename(wholePathOf(host), host.settings.paths.journal);
  host.journal = 'whole';
}

function text(lines: readonly object[], ledger: string): string {
  return lines.map((line) => `\n${JSON.stringify('ledger' in line ? { ...line, ledger } : line)}`).join('');
}

type State = { senders: string[]; answered: { journal: string; call: string }[] };

/** Returns what each live or kept ledger knows of journals. */
async function readStates({ installation }: World): Promise<State[]> {
  const states = installation.copies.map(({ rows }) => {
    const tables = JSON.parse(rows) as Record<string, Record<string, string | number>[] | null>;
    return stateOf(tables['sender'] ?? [], tables['attempt'] ?? []);
  });
  for (const { office } of installation.servers) {
    const { rows: senders } = await office.pool.query('SELECT journal, epoch FROM sender');
    const { rows: attempts } = await office.pool.query('SELECT journal, call, verdict FROM attempt');
    states.push(stateOf(senders, attempts));
  }
  return states;
}

function stateOf(
  senders: readonly Record<string, string | number>[],
  attempts: readonly Record<string, string | number>[],
): State {
  return {
    senders: senders.filter((row) => Number(row['epoch']) > 0).map((row) => String(row['journal'])),
    answered: attempts
      .filter((row) => row['verdict'] === 'submitted' || row['verdict'] === 'refused')
      .map((row) => ({ journal: String(row['journal']), call: String(row['call']) })),
  };
}
