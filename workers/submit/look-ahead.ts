import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../../src/app.ts';
import { type FoundBatch, recallFound } from '../../src/ledger/doubt/recall-batch.ts';
import { type BatchKey, keyOf } from '../../src/ledger/engine/move.ts';
import {
  type BatchIds,
  beginLook,
  endLook,
  type Look,
  noteLook,
  readBatchIds,
  readLook,
  readWaiting,
} from '../../src/ledger/doubt/look-ahead.ts';
import { boundOf } from '../../src/ledger/merchant/bound-accounts.ts';
import { readSentRows } from '../../src/ledger/file/read-file.ts';
import type { SendJournal } from '../../src/ledger/admission/send-journal.ts';
import { judgeResult, readResult } from '../poll/judge-result.ts';

/** Whether batch ids let an account send. `failed`: no answer of the service; `later`: another call is in progress. */
type Ahead = { kind: 'clear' } | { kind: 'found' } | { kind: 'later' } | { kind: 'failed'; why: string };

/**
 * Detects a machine or a data folder that was put back as a whole: its ledger and send journal cannot show what else it
 * sent. The service can, because its batch ids went on. Before an account's first call in an opening of the ledger, the
 * ids after its newest are queried; before the second, those that the first skipped. Whatever the service has there
 * stops the account and puts a batch with the same rows in doubt.
 *
 * One process does this for all hosts, because within an opening the ledger cannot go back. Each start of the server is
 * a new opening. The search goes as far as the next ids usually are, and three times as far where the mark of the data
 * folder is another one than at the last search (folder-mark.ts).
 */
export function lookAhead(app: App, account: string): Promise<Ahead> {
  const { sender } = app.ledger.admitted;
  if (sender === undefined) return Promise.resolve(LATER);
  const own = looked.get(app.journal) ?? { done: new Map(), running: new Map() };
  looked.set(app.journal, own);
  if (own.done.get(account) === sender.epoch) return Promise.resolve(CLEAR);
  const running = own.running.get(account) ?? lookOnce(app, account, sender.epoch, own.done);
  own.running.set(account, running);
  return running.finally(() => own.running.delete(account));
}

/** Returns whether nothing is left to ask for an account, whatever ids its next calls get. */
export function hasLookedAhead(app: App, account: string): boolean {
  const { sender } = app.ledger.admitted;
  return sender !== undefined && looked.get(app.journal)?.done.get(account) === sender.epoch;
}

/** @param done accounts for which nothing is left to ask in an opening */
async function lookOnce(app: App, account: string, epoch: number, done: Map<string, number>): Promise<Ahead> {
  const { ledger } = app;
  const { generation } = app.folderMark;
  const [before, known] = await Promise.all([readLook(ledger, account), readBatchIds(ledger, account)]);
  // Not even a host that sends alone may skip it: a folder can be put back while the machine runs on.
  const isLooked = before !== undefined && before.epoch === epoch;
  const newest = numbersOf(known.ids)[0]?.toString() ?? null;
  if (isLooked && before.newest === null) done.set(account, epoch);
  // The first call has no id yet.
  if (isLooked && (before.newest === null || before.newest === newest)) return CLEAR;
  const reach = before?.generation === generation ? 'usual' : 'wide';
  const behind = isLooked ? [] : idsBehind(known.ids, reach);
  const ids = [...(before ? idsBetween(before, newest) : []), ...behind];
  if (ids.length > 0 && known.isCalling) return LATER;
  if (!(await beginLook(ledger, account, ids.length))) return LATER;
  const ahead = await look(app, account, known, ids).catch(async (error: unknown) => {
    await endLook(ledger, account);
    throw error;
  });
  const asked = isLooked ? { newest: null, asked: 0 } : { newest, asked: behind.length };
  await endLook(ledger, account, ahead.kind === 'clear' ? { epoch, generation, ...asked } : undefined);
  if (ahead.kind !== 'clear') return ahead;
  if (asked.newest === null) done.set(account, epoch);
  // The ledger may have been opened anew meanwhile.
  return ledger.admitted.sender?.epoch === epoch ? CLEAR : LATER;
}

const CLEAR = { kind: 'clear' } as const;
const LATER = { kind: 'later' } as const;

/** Of each process, which is known by its journal: accounts that need no look in an opening, and looks in progress. */
const looked = new WeakMap<SendJournal, { done: Map<string, number>; running: Map<string, Promise<Ahead>> }>();

/** Pause between two queries, in ms, as when a person looks for an id. */
const PAUSE_MS = 200;

async function look(app: App, account: string, before: BatchIds, ids: readonly string[]): Promise<Ahead> {
  if (ids.length === 0) return CLEAR;
  const found: FoundBatch[] = [];
  const charged = { account, merchant_no: boundOf(app.ledger, account).merchantNo };
  for (const [place, batchId] of ids.entries()) {
    if (await before.isKnown(batchId)) continue;
    const answer = await app.gateway(charged).fetchBatchResult({ batchId });
    if (answer.kind === 'failed')
      return { kind: 'failed', why: `later batches could not be looked up at the service: ${answer.why}` };
    if (answer.kind === 'done') found.push({ batchId, like: await findLike(app, account, answer.file) });
    if (answer.kind === 'running') found.push({ batchId, like: undefined });
    await noteLook(app.ledger, account, place + 1);
    await sleep(PAUSE_MS);
  }
  // What another process sent meanwhile is not forgotten.
  if ((await readBatchIds(app.ledger, account)).calls !== before.calls) return LATER;
  // As many known calls lack an id. Each was dealt with or is in doubt; the service does not say which is which.
  if (found.every(({ like }) => like === undefined) && found.length <= before.withoutId) return CLEAR;
  const reason = await recallFound(app.ledger, account, found);
  const about = { account, code: 'JOURNAL_AHEAD', batchIds: found.map(({ batchId }) => batchId) };
  app.log.error(about, `account stopped: ${reason}`);
  return { kind: 'found' };
}

/** Ids to ask for: at least so many, and so many times the usual gap between two ids of the account. */
const REACH = { usual: { fewest: 2, gaps: 1 }, wide: { fewest: 5, gaps: 3 } };
const MOST_IDS = 200;

/** Returns the ids that a forgotten call may have got. The usual gap is the 95th percentile of known gaps. */
export function idsBehind(ids: readonly string[], reach: keyof typeof REACH): string[] {
  const numbers = numbersOf(ids);
  const [newest] = numbers;
  if (newest === undefined) return [];
  const gaps = numbers
    .slice(1)
    .map((number, place) => Number(numbers[place]! - number))
    .toSorted((one, other) => one - other);
  const usual = gaps[Math.ceil(gaps.length * 0.95) - 1] ?? 1;
  const { fewest, gaps: times } = REACH[reach];
  return countOn(newest + 1n, Math.min(MOST_IDS, Math.max(fewest, times * usual)));
}

/** Returns the ids that the newest skipped and that were not queried before. */
function idsBetween({ newest, asked }: Look, now: string | null): string[] {
  if (newest === null || now === null) return [];
  const from = BigInt(newest) + BigInt(asked) + 1n;
  return countOn(from, Math.min(MOST_IDS, Number(BigInt(now) - from)));
}

function countOn(from: bigint, count: number): string[] {
  return Array.from({ length: Math.max(0, count) }, (_, index) => String(from + BigInt(index)));
}

/** Returns the ids that are plain numbers, greatest first; nothing follows from others. */
function numbersOf(ids: readonly string[]): bigint[] {
  return ids
    .filter((id) => /^[1-9]\d{0,17}$/.test(id))
    .map(BigInt)
    .toSorted((one, other) => (one < other ? 1 : -1));
}

/** Returns the first waiting batch with exactly these rows; of two alike, either will do. */
async function findLike(app: App, account: string, result: Buffer): Promise<BatchKey | undefined> {
  for (const { batch, fileNo, layout } of await readWaiting(app.ledger, account)) {
    if (typeof readResult(result, layout, batch.rows) === 'string') continue;
    const sent = await readSentRows(app.ledger, fileNo, batch);
    if (judgeResult(batch, layout, sent, result).kind === 'fits') return keyOf(batch);
  }
  return undefined;
}
