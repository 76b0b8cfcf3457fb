import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import type { App } from '../../../src/app.ts';
import { claimDrop } from '../../../src/files/claims/claim-drop.ts';
import type { Claim } from '../../../src/files/claims/finish-claim.ts';
import { createFolderScanner } from '../../../src/files/scan-folder.ts';
import { newFileId } from '../../../src/kernel/ids.ts';
import { achRow, CARD, lines, upTo } from '../../support/payment-rows.ts';
import type { QueueName } from '../../../schemas/jobs.ts';
import type { BatchKey } from '../../../src/ledger/engine/move.ts';
import { findSendable } from '../../support/due-work.ts';
import { readBatchRow, readFileRow } from '../../../src/ledger/file/read-file.ts';
import type { Queue } from '../../../src/queue/open-queue.ts';
import { emptyQueue } from '../../support/force-sql.ts';
import type { ReadFileRow } from '../../../src/ledger/engine/records.ts';
import type { StepWorld } from './step-world.ts';
import { carryOut } from './resolve-context.ts';
import { PROFILE_TEXT, putConfirmed } from '../../ledger/support/put-version.ts';
import { intakeFile, takeClaim } from '../../support/work-alone.ts';

/** Drops a file and claims it by the rename, no further: the ledger does not know it yet. */
export async function claimContent(
  app: App,
  folderId: string,
  name: string,
  content: string | Uint8Array,
  merchant?: string,
): Promise<Claim> {
  const folder = app.folder(folderId)!;
  await writeFile(join(folder.path, name), content);
  const scanner = createFolderScanner(
    { path: folder.path, complete: { by: 'quiet', quietMs: 0, probes: 1 } },
    app.clock,
  );
  const candidate = (await scanner.scan()).settled.find((drop) => drop.name === name)!;
  const outcome = await claimDrop(candidate, {
    workRoot: folder.work,
    folder,
    clock: app.clock,
    fileId: newFileId(),
    merchant,
  });
  if (outcome.is !== 'claimed') throw new Error(`the drop is ${outcome.is}`);
  return outcome.claim;
}

/** Takes a file to its verdict. @returns its id */
export async function takeIn(
  app: App,
  folderId: string,
  content: string | Uint8Array,
  name = 'june.csv',
): Promise<string> {
  const claim = await claimContent(app, folderId, name, content);
  await takeClaim(app, claim);
  await intakeFile(app, { fileId: claim.fileId });
  return claim.fileId;
}

/** Takes in ACH charges through an account's folder. @returns the file id */
export async function takeInCharges(app: App, account: string, rows = 4, from = 1): Promise<string> {
  const content = lines(upTo(rows).map((n) => achRow(from - 1 + n)));
  return takeIn(app, `drop/${account}/ach-charge`, content, `june-${from}.csv`);
}

/** What ledger, audit trail and send journal know of a batch. */
export type Story = {
  state: string;
  attempt: number;
  batchId: string | null;
  reason: string | null;
  attempts: { attempt: number; verdict: string | null; evidence: Record<string, unknown> | null }[];
  /** Names of the moves in the audit trail, in order. */
  moves: string[];
  /** Attempts in the send journal. */
  journal: number[];
  /** Why the account is stopped, if it is. */
  stop: string | undefined;
  /** Whether the ledger would now let any batch of the account be sent. */
  maySend: boolean;
};

/** The story of a batch of which nothing was sent, so that it waits again as before. */
export const RELEASED = { state: 'ready', attempts: [], journal: [], moves: ['put-off'] };

export async function storyOf(app: App, key: BatchKey): Promise<Story> {
  const batch = await readBatchRow(app.ledger, key);
  return {
    state: batch.state,
    attempt: batch.attempt,
    batchId: batch.batch_id,
    reason: batch.reason,
    attempts: await query<Story['attempts'][number]>(
      app,
      'SELECT attempt, verdict, evidence FROM attempt WHERE file_id = $1 AND batch_no = $2 ORDER BY attempt',
      [key.fileId, key.batchNo],
    ),
    moves: await movesOf(app, key),
    journal: readJournal(app)
      .filter((entry) => entry.fileId === key.fileId && entry.batchNo === key.batchNo)
      .map((entry) => entry.attempt),
    stop: await readStop(app, batch.account),
    maySend: (await findSendable(app.ledger, batch.account)).length > 0,
  };
}

export async function movesOf(app: App, key: { fileId: string; batchNo?: number }): Promise<string[]> {
  const rows = await query<{ move: string }>(
    app,
    'SELECT move FROM audit WHERE file_id = $1 AND batch_no IS NOT DISTINCT FROM $2 ORDER BY seq',
    [key.fileId, key.batchNo ?? null],
  );
  return rows.map((row) => row.move);
}

/** Reads synchronously, so that a handler of the service can look before it answers. */
export function readJournal(app: App): { account: string; fileId: string; batchNo: number; attempt: number }[] {
  return readFileSync(app.settings.paths.journal, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.includes('"kind":'))
    .map((line) => JSON.parse(line));
}

export async function readStop(app: App, account: string): Promise<string | undefined> {
  const [row] = await query<{ reason: string }>(app, 'SELECT reason FROM account_stop WHERE account = $1', [account]);
  return row?.reason;
}

/** Returns the stages that a step rang for, each once. */
export async function rungBy(step: () => Promise<unknown>): Promise<QueueName[]> {
  const before = RUNG.length;
  await step();
  return [...new Set(RUNG.slice(before))].sort();
}

/** Rings of all apps that note theirs, in the process of a test file. */
const RUNG: QueueName[] = [];

/** Notes the rings of an app. */
export function noteRings(queue: Queue): void {
  const ring = queue.ring.bind(queue);
  queue.ring = (name, site) => {
    RUNG.push(name);
    return ring(name, site);
  };
}

/** Removes every job of every queue, as a FLUSHALL does. */
export async function loseQueue(app: App): Promise<void> {
  await emptyQueue(app.ledger.pool);
}

export async function query<Row extends object>(app: App, sql: string, values: unknown[] = []): Promise<Row[]> {
  return (await app.ledger.pool.query<Row>(sql, values)).rows;
}

/** Makes a file with an outcome for every row that was sent, ready for delivery. */
export async function fileWithOutcomes(
  world: StepWorld,
  operation: string,
  content: string,
  messageOf: (row: number) => string,
  name?: string,
): Promise<ReadFileRow> {
  const fileId = await takeIn(world.app, `drop/${world.freshAccount()}/${operation}`, content, name);
  await carryOut(world.app, fileId, messageOf);
  return readFileRow(world.app.ledger, fileId);
}

/** Returns an app in which every folder allows whole numbers in files meant to be dropped again. */
export function withClearNumbers(app: App): App {
  return { ...app, folder: (id) => ({ ...app.folder(id)!, clearNumbers: true }) };
}

/** Returns the lines of an output file, which must end in CRLF. */
export async function linesOf(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8');
  if (!text.endsWith('\r\n')) throw new Error('the last line has no end');
  return text.slice(0, -2).split('\r\n');
}

export const PROFILE_TITLES = 'Number,Customer,Memo,Due';

let profiles = 0;

/** Opens a folder of card payments whose files this profile reads, with titles in their first line. */
export async function openProfileFolder(world: StepWorld, text = PROFILE_TEXT, account = world.freshAccount()) {
  const name = `dues-${(profiles += 1)}`;
  const version = await putConfirmed(world.app.ledger, name, text);
  const id = `drop/${account}/card`;
  const folder = { ...world.app.folder(id)!, profile: name };
  const app = { ...world.app, folder: (wanted: string) => (wanted === id ? folder : undefined) };
  const seen = (rows: readonly string[], titles = PROFILE_TITLES) =>
    claimContent(app, id, `june-${rows.length}.csv`, [titles, ...rows].map((row) => `${row}\n`).join(''));
  const claim = async (...rows: string[]) => {
    const claimed = await seen(rows);
    await takeClaim(app, claimed);
    return claimed.fileId;
  };
  const drop = async (...rows: string[]) => {
    const fileId = await claim(...rows);
    await intakeFile(app, { fileId });
    return fileId;
  };
  /** Drops bytes as they are, and takes them in. */
  const take = async (content: Uint8Array, file: string) => {
    const claimed = await claimContent(app, id, file, content);
    await takeClaim(app, claimed);
    await intakeFile(app, claimed);
    return claimed.fileId;
  };
  return { app, id, name, version, seen, claim, drop, take };
}

/** A profile of cards whose titles mean something else in the layout, with a column of old numbers. */
export const SENDER_PROFILE = `layout: card
read: { charset: utf-8, separator: comma }
head: { titles: [Day, Outcome, Payer, Old Card, Due, Brand, Card, Exp] }
columns:
  date: { from: Day, format: DD.MM.YYYY }
  invoice: { from: Outcome }
  firstName: { value: '' }
  lastName: { from: Payer }
  street: { value: '' }
  city: { value: '' }
  state: { value: '' }
  zipCode: { value: '' }
  amount: { from: Due, number: { decimal: ',', group: '.' }, sign: as-written }
  mop: { from: Brand, words: { Visa Card: VISA } }
  cardNumber: { from: Card, strip: [space] }
  expiry: { from: Exp, format: MM/YYYY }
ignore: [Old Card]
`;

export const SENDER_TITLES = 'Day,Outcome,Payer,Old Card,Due,Brand,Card,Exp';
/** The card number as the sender writes it, with blanks. */
export const SPACED_CARD = CARD.replace(/(\d{4})(?=\d)/g, '$1 ');

/** A row of `SENDER_PROFILE`; the amount with a decimal comma. */
export function senderRow(invoice: string, amount: string): string {
  return `15.06.2026,${invoice},"Byron, Ada",was ${CARD},"${amount}",Visa Card,${SPACED_CARD},12/2035`;
}
