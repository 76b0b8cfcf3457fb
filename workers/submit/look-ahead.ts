import { readFile } from 'node:fs/promises';
import { uptime } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../../src/app.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import type { Account } from '../../src/config/config.ts';
import { type FoundBatch, recallFound } from '../../src/ledger/doubt/recall-batch.ts';
import type { BatchKey } from '../../src/ledger/engine/move.ts';
import { type BatchIds, readBatchIds, readWaiting } from '../../src/ledger/doubt/batch-ids.ts';
import { readSentRows } from '../../src/ledger/file/read-file.ts';
import type { SendJournal } from '../../src/ledger/admission/send-journal.ts';
import { judgeResult, readResult } from '../poll/judge-result.ts';

/** Whether an account may send, as far as batch ids tell. `failed`: the service gave no answer; `later`: another call is under way. */
export type Ahead = { kind: 'clear' } | { kind: 'found' } | { kind: 'later' } | { kind: 'failed'; why: string };

/**
 * A machine that was put back as a whole, with ledger and send journal, shows nowhere that it had sent more. The service
 * does: its batch ids went on. So before the first call of an account since the machine was started, the service is asked
 * for the ids behind the newest that the account ever got, and before the second for those that the first has jumped over.
 * What it has there stops the account, and a batch with the same rows is in doubt.
 */
export async function lookAhead(app: App, account: string): Promise<Ahead> {
  const { journal, settings, clock } = app;
  const done = looked.get(journal) ?? new Set();
  looked.set(journal, done);
  if (done.has(account)) return CLEAR;
  const boot = await readBoot(clock);
  const { notes } = await journal.readSelf(settings.host, clock);
  const before = notes
    .filter((note) => note.kind === 'looked')
    .findLast((note) => note.account === account && note.boot === boot);
  const known = await readBatchIds(app.ledger, alikeOf(app, account));
  const newest = numbersOf(known.ids)[0]?.toString();
  // The first call has no id yet.
  if (before?.newest !== undefined && before.newest === newest) return CLEAR;
  const ids = before === undefined ? idsBehind(known.ids) : idsBetween(before, newest);
  const ahead = await look(app, account, known, ids);
  if (ahead.kind !== 'clear') return ahead;
  const more = before === undefined && newest !== undefined ? { newest, asked: ids.length } : {};
  // A journal that cannot be written holds up the call itself, and says so.
  if (before?.newest !== undefined || before === undefined)
    await journal
      .append({ kind: 'looked', at: clock.now().toISOString(), account, boot, ...more })
      .catch(() => undefined);
  if (more.newest === undefined) done.add(account);
  return CLEAR;
}

/** The service knows accounts of one agent code as one. */
function alikeOf({ settings }: App, name: string): string[] {
  const { server, agentCode } = settings.accounts.get(name)!;
  const isAlike = (other: Account) => other.server === server && other.agentCode === agentCode;
  return [...settings.accounts].filter(([, other]) => isAlike(other)).map(([other]) => other);
}

const CLEAR = { kind: 'clear' } as const;

/** Accounts that were looked at by this process, or before it since the machine was started. */
const looked = new WeakMap<SendJournal, Set<string>>();

/** Another after each start of the machine. */
async function readBoot({ now }: Clock): Promise<string> {
  const id = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
  return id.trim() || `started ${Math.round((now().getTime() / 1_000 - uptime()) / MINUTE_S)}`;
}

/** Where the system gives no id its start stands for it, in minutes, because clocks are corrected. */
const MINUTE_S = 60;

/** Between two questions, in ms, as when a person looks for an id. */
const PAUSE_MS = 200;

async function look(app: App, account: string, before: BatchIds, ids: readonly string[]): Promise<Ahead> {
  if (ids.length === 0) return CLEAR;
  if (before.isCalling) return { kind: 'later' };
  const found: FoundBatch[] = [];
  for (const batchId of ids) {
    if (await before.isKnown(batchId)) continue;
    const answer = await app.gateway(account).fetchBatchResult({ batchId });
    if (answer.kind === 'failed')
      return { kind: 'failed', why: `the service cannot be asked for later batches: ${answer.why}` };
    if (answer.kind === 'done') found.push({ batchId, like: await findLike(app, account, answer.file) });
    if (answer.kind === 'running') found.push({ batchId, like: undefined });
    await sleep(PAUSE_MS);
  }
  // What another process sent meanwhile is nothing forgotten.
  if ((await readBatchIds(app.ledger, alikeOf(app, account))).calls !== before.calls) return { kind: 'later' };
  // Calls that are known were looked at, or are in doubt; the service shows them without a word of which they are.
  if (found.every(({ like }) => like === undefined) && found.length <= before.withoutId) return CLEAR;
  const reason = await recallFound(app.ledger, account, found);
  const about = { account, code: 'JOURNAL_AHEAD', batchIds: found.map(({ batchId }) => batchId) };
  app.log.error(about, `account stopped: ${reason}`);
  return { kind: 'found' };
}

const [FEWEST_IDS, MOST_IDS] = [5, 200];

/**
 * The ids that a forgotten call may have got: three times the usual distance of two ids, of which 95 of 100 are no longer.
 */
export function idsBehind(ids: readonly string[]): string[] {
  const numbers = numbersOf(ids);
  const [newest] = numbers;
  if (newest === undefined) return [];
  const gaps = numbers
    .slice(1)
    .map((number, place) => Number(numbers[place]! - number))
    .toSorted((one, other) => one - other);
  const usual = gaps[Math.ceil(gaps.length * 0.95) - 1] ?? 1;
  return countOn(newest + 1n, Math.min(MOST_IDS, Math.max(FEWEST_IDS, 3 * usual)));
}

/** The ids that were not asked for before and that the newest has jumped over. */
function idsBetween({ newest, asked = 0 }: { newest?: string; asked?: number }, now: string | undefined): string[] {
  if (newest === undefined || now === undefined) return [];
  const from = BigInt(newest) + BigInt(asked) + 1n;
  return countOn(from, Math.min(MOST_IDS, Number(BigInt(now) - from)));
}

function countOn(from: bigint, count: number): string[] {
  return Array.from({ length: Math.max(0, count) }, (_, index) => String(from + BigInt(index)));
}

/** The greatest first; nothing follows from ids that are no plain numbers. */
function numbersOf(ids: readonly string[]): bigint[] {
  return ids
    .filter((id) => /^[1-9]\d{0,17}$/.test(id))
    .map(BigInt)
    .toSorted((one, other) => (one < other ? 1 : -1));
}

/** The first batch that waits and has just these rows; of two that are alike it is as good as the other. */
async function findLike(app: App, account: string, result: Buffer): Promise<BatchKey | undefined> {
  for (const { batch, fileNo, layout } of await readWaiting(app.ledger, account)) {
    if (typeof readResult(result, layout, batch.rows) === 'string') continue;
    const sent = await readSentRows(app.ledger, fileNo, batch);
    if (judgeResult(batch, layout, sent, result).kind === 'fits')
      return { fileId: batch.file_id, batchNo: batch.batch_no };
  }
  return undefined;
}
