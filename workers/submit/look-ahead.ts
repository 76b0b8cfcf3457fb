import { readFile } from 'node:fs/promises';
import { uptime } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../../src/app.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import type { Account } from '../../src/config/config.ts';
import { type FoundBatch, recallFound } from '../../src/ledger/doubt/recall-batch.ts';
import type { BatchKey } from '../../src/ledger/engine/move.ts';
import { type BatchIds, readBatchIds, readWaiting } from '../../src/ledger/doubt/find-batches-holding.ts';
import { readSentRows } from '../../src/ledger/file/read-file.ts';
import type { SendJournal } from '../../src/ledger/admission/send-journal.ts';
import { keyOf } from '../enqueue.ts';
import { judgeResult, readResult } from '../poll/judge-result.ts';

/** Whether batch ids let an account send. `failed`: no answer of the service; `later`: another call is in progress. */
type Ahead = { kind: 'clear' } | { kind: 'found' } | { kind: 'later' } | { kind: 'failed'; why: string };

/**
 * Detects a machine that was restored as a whole: its ledger and send journal cannot show what else it sent. The
 * service can, because its batch ids went on. Before an account's first call since the machine started, the ids after
 * its newest are queried; before the second, those that the first skipped. Whatever the service has there stops the
 * account and puts a batch with the same rows in doubt.
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
  // A journal that cannot be written blocks the call itself, which reports it.
  if (before?.newest !== undefined || before === undefined)
    await journal
      .append({ kind: 'looked', at: clock.now().toISOString(), account, boot, ...more })
      .catch(() => undefined);
  if (more.newest === undefined) done.add(account);
  return CLEAR;
}

/** Returns the accounts that share an agent code, which the service knows as one. */
function alikeOf({ settings }: App, name: string): string[] {
  const { server, agentCode } = settings.accounts.get(name)!;
  const isAlike = (other: Account) => other.server === server && other.agentCode === agentCode;
  return [...settings.accounts].filter(([, other]) => isAlike(other)).map(([other]) => other);
}

const CLEAR = { kind: 'clear' } as const;

/** Accounts checked since the machine started, by this process or an earlier one. */
const looked = new WeakMap<SendJournal, Set<string>>();

/** Returns a value that changes with each start of the machine. */
async function readBoot({ now }: Clock): Promise<string> {
  const id = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
  return id.trim() || `started ${Math.round((now().getTime() / 1_000 - uptime()) / MINUTE_S)}`;
}

/** Without a boot id, the start time stands in, in minutes because clocks are corrected. */
const MINUTE_S = 60;

/** Pause between two queries, in ms, as when a person looks for an id. */
const PAUSE_MS = 200;

async function look(app: App, account: string, before: BatchIds, ids: readonly string[]): Promise<Ahead> {
  if (ids.length === 0) return CLEAR;
  if (before.isCalling) return { kind: 'later' };
  const found: FoundBatch[] = [];
  for (const batchId of ids) {
    if (await before.isKnown(batchId)) continue;
    const answer = await app.gateway(account).fetchBatchResult({ batchId });
    if (answer.kind === 'failed')
      return { kind: 'failed', why: `later batches could not be looked up at the service: ${answer.why}` };
    if (answer.kind === 'done') found.push({ batchId, like: await findLike(app, account, answer.file) });
    if (answer.kind === 'running') found.push({ batchId, like: undefined });
    await sleep(PAUSE_MS);
  }
  // What another process sent meanwhile is not forgotten.
  if ((await readBatchIds(app.ledger, alikeOf(app, account))).calls !== before.calls) return { kind: 'later' };
  // As many known calls lack an id. Each was dealt with or is in doubt; the service does not say which is which.
  if (found.every(({ like }) => like === undefined) && found.length <= before.withoutId) return CLEAR;
  const reason = await recallFound(app.ledger, account, found);
  const about = { account, code: 'JOURNAL_AHEAD', batchIds: found.map(({ batchId }) => batchId) };
  app.log.error(about, `account stopped: ${reason}`);
  return { kind: 'found' };
}

const [FEWEST_IDS, MOST_IDS] = [5, 200];

/** Returns the ids that a forgotten call may have got: three times the usual gap, the 95th percentile of known gaps. */
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

/** Returns the ids that the newest skipped and that were not queried before. */
function idsBetween({ newest, asked = 0 }: { newest?: string; asked?: number }, now: string | undefined): string[] {
  if (newest === undefined || now === undefined) return [];
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
