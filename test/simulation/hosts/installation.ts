import { join } from 'node:path';
import type { Pool } from 'pg';
import type { Settings } from '../../../src/config/config.ts';
import type { Choose } from '../choose.ts';
import { copyLedger, type LedgerCopy, MARK, payeeOf, putLedger, restartServer, type Server } from '../database.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import { restoreBackup } from '../../../src/ledger/backup/restore-backup.ts';
import { writeBackup } from '../../../src/ledger/backup/write-backup.ts';
import { bookRows } from '../services.ts';
import type { World } from '../world.ts';
import { FOLDER_OPERATIONS, type FolderOperation } from '../../../schemas/operations.ts';
import type { Instance } from '../instance/open-instance.ts';
import type { SubmitCall } from '../instance/tap.ts';
import { lostRows, putsFolderBack } from './lost-sends.ts';

/** A machine that runs instances, with a send journal of its own. Drop folders, outputs and the archive are shared. */
export type Host = {
  readonly name: string;
  /** Includes the list of senders, which changes when one is retired. */
  settings: Settings;
  /** Switched off, or cut off from everything. */
  isAway: boolean;
  /** It began a journal while its own was lost, and then its own was put back in its place. */
  hasBegunAnother?: boolean;
  /** State of its journal, as operators know it. `replaced`: a new one was begun after it was declared lost. */
  journal: 'whole' | 'lost' | 'older' | 'foreign' | 'replaced' | 'retired';
};

/** Hosts that share a ledger, and the servers that hold states of that ledger. */
export type Installation = {
  readonly hosts: Host[];
  /** Former hosts, and the one whose journal took over their calls. */
  readonly retired: { readonly host: Host; readonly heir: Host }[];
  /** The servers that are up. */
  readonly servers: Server[];
  /** The server to which new instances connect, and where operators work. */
  present: Server;
  /** Kept states of the ledger, oldest first. */
  readonly copies: LedgerCopy[];
  /** The newest file that `paydrop backup` made. */
  backup?: string;
  /** How often an older state replaced a newer one. */
  timesBack: number;
  /** How often the configuration was changed. */
  timesConfigured: number;
  /** Calls that were about to leave when the ledger that let them out went back, with their rows. */
  readonly forgotten: Map<string, SentRows>;
  /** Whether the data folder of the one host may be put back in this scenario. */
  readonly putsFolderBack: boolean;
  /** The newest copy of the data folder, with the ledger in it, and how many calls there were when it was last in place. */
  folder?: { readonly path: string; readonly ledger: LedgerCopy; readonly sends: number };
  /** Whether send journals are damaged in this scenario. */
  readonly losesJournals: boolean;
  /** A person has declared a journal lost. */
  hasVouched: boolean;
  /** The ledger of each server as seen after the last step. */
  readonly seen: Map<number, SeenLedger>;
};

export type SeenLedger = { isOpen: boolean; closing: string; sends: number };

/** Makes an installation of one host, or of several that all send. */
export function makeInstallation(choose: Choose, settings: Settings, server: Server, isWide: boolean): Installation {
  return {
    hosts: isWide ? severalHosts(choose, settings) : [newHost(settings.host, settings)],
    retired: [],
    servers: [server],
    present: server,
    copies: [],
    timesBack: 0,
    timesConfigured: 0,
    forgotten: new Map(),
    putsFolderBack: !isWide && choose.happens(0.4),
    losesJournals: isWide && choose.happens(0.4),
    hasVouched: false,
    seen: new Map(),
  };
}

function severalHosts(choose: Choose, settings: Settings): Host[] {
  const names = ['north', 'south', 'east', 'west'].slice(0, choose.one([2, 2, 2, 3, 3, 4]));
  return names.map((name) => {
    const journal = join(settings.paths.data, 'hosts', name, 'sends.jsonl');
    return newHost(name, { ...settings, host: name, senders: names, paths: { ...settings.paths, journal } });
  });
}

function newHost(name: string, settings: Settings): Host {
  return { name, settings, isAway: false, journal: 'whole' };
}

/** Returns whether several hosts send; only then can a scenario put back an older ledger. */
export function isWide({ installation }: { installation: Installation }): boolean {
  return installation.hosts[0]!.settings.senders !== undefined;
}

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
  const { pool } = installation.present.office;
  const { rows } = await pool.query<{ call: string; fileId: string; batchNo: number }>(
    `SELECT token AS call, file_id AS "fileId", batch_no AS "batchNo" FROM batch WHERE state = 'sending'`,
  );
  for (const { call, ...batch } of rows) installation.forgotten.set(call, await readRows(world, pool, batch));
  await putLedger(pool, copy);
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

/** The rows of a batch: line of the file, and the row's key in the books of the service. */
type SentRows = ReadonlyMap<number, string>;

async function readRows(
  world: World,
  pool: Pool,
  { fileId, batchNo }: { fileId: string; batchNo: number },
): Promise<SentRows> {
  const { rows } = await pool.query<{ line: number; key: string; merchantMark: string; operation: FolderOperation }>(
    `SELECT r.line, concat_ws(' ', r.invoice, r.amount_cents, r.customer_code) AS key, ${MARK} AS "merchantMark", f.operation
     FROM payment_row r JOIN file f USING (file_no) WHERE f.file_id = $1 AND r.batch_no = $2`,
    [fileId, batchNo],
  );
  const keyOf = ({ merchantMark, operation, key }: (typeof rows)[number]) =>
    rowKey(payeeOf(world, { merchantMark }), FOLDER_OPERATIONS[operation].operation, key);
  return new Map(rows.map((row) => [row.line, keyOf(row)]));
}

/** A call that got as far as its first byte, whatever happened to the ledger that let it out. */
export type Send = {
  readonly call: string;
  readonly fileId: string;
  readonly batchNo: number;
  readonly instance: Instance;
  readonly rows: SentRows;
  /** What was seen of it; undefined while it is in progress. */
  seen?: SubmitCall;
  /** It was lost with a data folder that was put back, and whether the program can find it. */
  isLost?: boolean;
  isFindable?: boolean;
};

/** Records a call right before its first byte. A row that may have been sent before needs a pardon since then. */
export async function noteSend(
  world: World,
  instance: Instance,
  { fileId, batchNo, call }: { fileId: string; batchNo: number; call: string },
): Promise<void> {
  const { pool } = instance.server().office;
  await notePardons(world);
  const rows = world.installation.forgotten.get(call) ?? (await readRows(world, pool, { fileId, batchNo }));
  const send = { call, fileId, batchNo, instance, rows };
  for (const line of send.rows.keys()) {
    const before = world.sends.filter(
      (other) => other.fileId === fileId && other.rows.has(line) && mayBeTaken(other) && !isPastFinding(other),
    );
    const pardons = pardonsOf(world, [...before, send]);
    if (before.length <= pardons || world.installation.hasVouched) continue;
    const times = `${before.length} times before, with ${pardons} pardons`;
    world.complaints.push(`line ${line} of file ${fileId} is about to leave, and may have been sent ${times}`);
    break;
  }
  await checkForgottenRows(world, send);
  world.sends.push(send);
}

/** Returns whether nothing that the program has, and nothing that it asks, can tell of it any more. */
function isPastFinding({ isLost, isFindable }: Send): boolean {
  return isLost === true && isFindable !== true;
}

/** Returns whether the service may have taken it, by what is known of the call. */
function mayBeTaken({ seen }: Send): boolean {
  return seen === undefined || (seen.posts > 0 && seen.answer !== 'refused');
}

export function noteSeen(world: World, instance: Instance, call: SubmitCall): void {
  const send = world.sends.findLast((one) => one.instance === instance && one.seen === undefined);
  if (send && call.declared) send.seen = call;
}

/** Records the pardons of every ledger, so that none disappears when an older ledger is put back. */
export async function notePardons(world: World): Promise<void> {
  for (const { office } of world.installation.servers) {
    const { rows } = await office.pool.query<{ link: string; batch: string }>(
      `SELECT encode(hash, 'hex') AS link, concat_ws('/', file_id, batch_no) AS batch FROM audit WHERE move = 'absolve'`,
    );
    for (const { link, batch } of rows) world.pardons.set(link, batch);
  }
}

function pardonsOf(world: World, sends: readonly Send[]): number {
  const batches = new Set(sends.map(({ fileId, batchNo }) => `${fileId}/${batchNo}`));
  return [...world.pardons.values()].filter((batch) => batches.has(batch)).length;
}

/** Checks, by the books and over all ledgers, that a row of a file was taken once, plus once for each pardon. */
export function checkTakenTwice(world: World): string[] {
  const allowed = new Map<string, number>();
  const sendsOf = new Map<string, { key: string; sends: Send[] }>();
  for (const send of world.sends)
    for (const [line, key] of send.rows) {
      const place = `${send.fileId} ${line}`;
      const known = sendsOf.get(place);
      if (known) known.sends.push(send);
      else sendsOf.set(place, { key, sends: [send] });
    }
  for (const { key, sends } of sendsOf.values()) {
    const times = Math.min(sends.length, 1 + pardonsOf(world, sends) + sends.filter(isPastFinding).length);
    allowed.set(key, (allowed.get(key) ?? 0) + times);
  }
  const taken = new Map<string, number>();
  for (const { account, operation, invoice, amountCents, customerCode } of bookRows(world.services)) {
    const key = rowKey(account, operation, [invoice, amountCents, customerCode].join(' '));
    taken.set(key, (taken.get(key) ?? 0) + 1);
  }
  return [...taken].flatMap(([key, times]) => {
    const most = allowed.get(key) ?? 0;
    if (times <= most) return [];
    // A person who vouches for a lost journal answers for what the ledger cannot know.
    if (world.installation.hasVouched) {
      world.totals.count('money', 'rows taken too often after a person vouched', times - most);
      return [];
    }
    world.totals.count('money', 'rows taken too often', times - most);
    return [`the service took a row ${times} times that may have been sent ${most} times: ${key}`];
  });
}

/**
 * Checks right before the first byte that no row of a call that the ledger holds as forgotten leaves in another file, as
 * long as no person has decided about that file.
 */
async function checkForgottenRows(world: World, { fileId, rows, instance }: Send): Promise<void> {
  const { pool } = instance.server().office;
  const { rows: calls } = await pool.query<{ call: string }>('SELECT call FROM forgotten_send');
  const forgotten = new Set(
    world.sends
      .filter((send) => calls.some(({ call }) => call === send.call))
      .flatMap((send) => [...send.rows.values()]),
  );
  const lost = lostRows(world);
  const left = [...rows.values()].filter((key) => forgotten.has(key) || lost.has(key));
  if (left.length === 0) return;
  const { rowCount } = await pool.query(
    `SELECT FROM audit WHERE file_id = $1 AND actor LIKE 'operator:%'
     UNION ALL SELECT FROM resubmission WHERE new_file_id = $1`,
    [fileId],
  );
  world.totals.count('money', 'rows of forgotten calls sent again by a person', left.length);
  if (rowCount === 0) world.complaints.push(`a row of a forgotten call leaves in file ${fileId}: ${left[0]}`);
}

/** Counts the rows of calls that the ledger holds as forgotten, or has lost; no batch answers for them. */
export async function readForgotten(world: World): Promise<Map<string, number>> {
  if (putsFolderBack(world)) return lostRows(world, { all: true });
  const { rows } = await world.office.pool.query<{ call: string }>('SELECT call FROM forgotten_send');
  const forgotten = new Map<string, number>();
  for (const send of world.sends.filter(({ call }) => rows.some((row) => row.call === call)))
    for (const key of send.rows.values()) forgotten.set(key, (forgotten.get(key) ?? 0) + 1);
  return forgotten;
}

/** Returns the key of a row in the books. */
export function rowKey(payee: string, operation: string, row: string): string {
  return `${payee} ${operation.toLowerCase()} ${row}`;
}
