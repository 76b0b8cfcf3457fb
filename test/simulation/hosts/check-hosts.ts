import { readFile } from 'node:fs/promises';
import type { JournalEntry, JournalNote } from '../../../src/ledger/admission/send-journal.ts';
import type { Server } from '../database.ts';
import type { Instance } from '../instance/open-instance.ts';
import type { World } from '../world.ts';
import { checkTakenTwice, type Host, notePardons, type SeenLedger } from './installation.ts';

type Journal = { host: Host; lines: JournalLine[] };

/** Checks what must hold on every server after a step. */
export async function checkHosts(world: World): Promise<string[]> {
  await notePardons(world);
  const journals = await Promise.all(
    world.installation.hosts.map(async (host) => ({ host, lines: await readLines(host) })),
  );
  const complaints: string[] = [];
  for (const server of world.installation.servers) complaints.push(...(await checkServer(world, server, journals)));
  return [...checkTakenTwice(world), ...complaints];
}

type Seen = SeenLedger & { epoch: number };

async function checkServer(world: World, server: Server, journals: readonly Journal[]): Promise<string[]> {
  const { rows } = await server.office.pool.query<Seen>(
    `SELECT is_open AND is_of_this_run() AS "isOpen", epoch, closing,
            (SELECT count(*)::int FROM audit WHERE move = 'send') AS sends FROM admission`,
  );
  const seen = rows[0]!;
  const before = world.installation.seen.get(server.no);
  world.installation.seen.set(server.no, seen);
  world.totals.count('ledgers', `${seen.isOpen ? 'open' : 'closed'} after a step`);
  if (seen.isOpen) return findUnknownCalls(server, seen, journals);
  const isSameClosing = before?.isOpen === false && before.closing === seen.closing;
  const hasSent = isSameClosing && seen.sends > before.sends;
  return [
    ...(hasSent ? ['a batch moved to sending while the ledger was closed'] : []),
    ...(await findWrongReports(server, seen, journals)),
  ];
}

/** Checks that an open ledger knows every call before the fence of its journal's last report. */
async function findUnknownCalls({ office }: Server, seen: Seen, journals: readonly Journal[]): Promise<string[]> {
  const reported = journals.flatMap(({ host, lines }) => {
    const end = lines.findLastIndex((line) => isNote(line) && line.kind === 'fence' && line.epoch <= seen.epoch);
    return [...callsOf(lines.slice(0, Math.max(0, end)))].map((call) => ({ host, call }));
  });
  if (reported.length === 0) return [];
  const { rows } = await office.pool.query<{ call: string }>(
    `SELECT call FROM unnest($1::uuid[]) call WHERE NOT EXISTS (SELECT FROM attempt a WHERE a.call = call.call)
       AND NOT EXISTS (SELECT FROM forgotten_send g WHERE g.call = call.call)`,
    [reported.map(({ call }) => call)],
  );
  return rows.map(({ call }) => {
    const { host } = reported.find((one) => one.call === call)!;
    return `the ledger is open for epoch ${seen.epoch} and lacks call ${call} of host ${host.name}`;
  });
}

/** Finds journals that have reported although they lack the line of an answered call. */
async function findWrongReports({ office }: Server, seen: Seen, journals: readonly Journal[]): Promise<string[]> {
  const { rows } = await office.pool.query<{ journal: string; name: string; call: string }>(
    `SELECT s.journal, s.name, a.call FROM sender s JOIN attempt a ON a.journal = s.journal
     WHERE s.closing = $1 AND a.verdict IN ('submitted', 'refused')`,
    [seen.closing],
  );
  return rows
    .filter(({ journal, call }) => {
      const files = journals.filter(({ lines }) => idOf(lines) === journal);
      return files.length > 0 && !files.some(({ lines }) => callsOf(lines).has(call));
    })
    .map(({ name, call }) => `the journal of ${name} has reported and lacks call ${call}, which was answered`);
}

/** Checks, right before a first byte, that no newer fence stands before the line of the call in the journal. */
export async function checkFence(world: World, instance: Instance, call: string): Promise<void> {
  const lines = await readLines(instance.host);
  const place = lines.findIndex((line) => !isNote(line) && line.call === call);
  const { rows } = await instance.server().office.pool.query<{ epoch: number }>('SELECT epoch FROM admission');
  const { epoch } = rows[0]!;
  const newer = lines.slice(0, place).find((line) => isNote(line) && line.kind === 'fence' && line.epoch > epoch);
  if (newer) world.complaints.push(`a request is about to leave behind a fence that is newer than epoch ${epoch}`);
}

/**
 * Finds the call that is about to leave where the ledger went back after it had let it out. It must stand in the journal,
 * and in the ledger, unless that is closed until this host has reported.
 */
export async function findForgotten(world: World, instance: Instance, account: string) {
  const line = (await readLines(instance.host)).findLast((one) => !isNote(one) && one.account === account);
  if (!line || isNote(line) || line.call === undefined) return undefined;
  const { fileId, batchNo, call } = line;
  if (!world.installation.forgotten.has(call)) return undefined;
  const { rows } = await instance
    .server()
    .office.pool.query<{ isSafe: boolean }>(
      `SELECT NOT is_open OR EXISTS (SELECT FROM forgotten_send WHERE call = $1::uuid) AS "isSafe" FROM admission`,
      [call],
    );
  return rows[0]!.isSafe ? { fileId, batchNo, call } : undefined;
}

type JournalLine = JournalEntry | JournalNote;

/** Reads the whole lines of a send journal, without product code. */
export async function readLines(host: Host): Promise<JournalLine[]> {
  const text = await readFile(host.settings.paths.journal, 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    try {
      const parsed: unknown = JSON.parse(line);
      return typeof parsed === 'object' && parsed !== null ? [parsed as JournalLine] : [];
    } catch {
      return [];
    }
  });
}

function isNote(line: JournalLine): line is JournalNote {
  return 'kind' in line;
}

/** Returns the id of a journal, once it has begun. */
export function idOf(lines: readonly JournalLine[]): string | undefined {
  const begin = lines.find((line) => isNote(line) && line.kind === 'begin');
  return begin && 'journal' in begin ? begin.journal : undefined;
}

/** Returns the calls in it, including those taken over from other journals, but not answers kept for later. */
export function callsOf(lines: readonly JournalLine[]): Set<string> {
  return new Set(lines.flatMap((line) => (isNote(line) || line.answer || !line.call ? [] : [line.call])));
}
