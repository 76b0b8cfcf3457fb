import { setTimeout as sleep } from 'node:timers/promises';
import { PipelineError } from '../../kernel/errors.ts';
import type { BatchKey } from '../../ledger/engine/move.ts';
import { findBatchById } from '../../ledger/doubt/in-doubt.ts';
import { mustBeIn } from './carry-out.ts';
import { compareResult } from './assign-batch-id.ts';
import type { ResolutionContext } from './resolution-context.ts';

/** Ids from the first to the last, both included; digits only. */
export type IdRange = { from: string; to: string };

/** Results of querying every id of a range. */
export type Probe = {
  asked: number;
  /** Ids under which every row matches: the batch, or, if there are two, the batch taken twice. */
  matches: string[];
  /** Some rows are those of the batch. */
  nearMisses: { batchId: string; alike: number; reason: string }[];
  /** Ids that belong to batches of ours; they were not queried. */
  known: (BatchKey & { batchId: string; name: string })[];
  /** The service is still working on these. */
  running: string[];
  /** Results of other rows, ids unknown to the service, and failed queries. */
  others: number;
  notKnown: number;
  failed: number;
  /** Why it stopped before the end of the range. */
  stopped?: string;
};

/** Limit for one run, to spare the payment service. */
export const MOST_IDS = 1_000;

/** Pause between two queries, in ms. They only read, but they are many. */
const PAUSE_MS = 200;

/** This many consecutive failures mean that the service cannot be reached. */
const MOST_FAILURES = 5;

/**
 * Queries each id of a range and compares every row. Changes nothing. It continues after a match: a second match means
 * that the batch was taken twice.
 * @throws PipelineError USAGE for an invalid range, MOVE_REFUSED when the batch is not in doubt
 */
export async function probeIds(
  context: ResolutionContext,
  range: IdRange,
  { onAsk = () => {}, pauseMs = PAUSE_MS }: { onAsk?: (done: number, of: number) => void; pauseMs?: number } = {},
): Promise<Probe> {
  mustBeIn(context, 'look for', 'unknown');
  const ids = listIds(range);
  const probe: Probe = {
    asked: 0,
    matches: [],
    nearMisses: [],
    known: [],
    running: [],
    others: 0,
    notKnown: 0,
    failed: 0,
  };
  let failuresInRow = 0;
  for (const [index, batchId] of ids.entries()) {
    onAsk(index, ids.length);
    const owner = await findBatchById(context.ledger, context.batch.account, batchId);
    if (owner) {
      probe.known.push({ ...owner, batchId });
      continue;
    }
    if (probe.asked > 0) await sleep(pauseMs);
    const isAnswered = await askFor(context, batchId, probe);
    failuresInRow = isAnswered ? 0 : failuresInRow + 1;
    if (failuresInRow < MOST_FAILURES) continue;
    probe.stopped = `the service did not answer ${MOST_FAILURES} times in a row, the last time for id ${batchId}`;
    break;
  }
  return probe;
}

async function askFor(context: ResolutionContext, batchId: string, probe: Probe): Promise<boolean> {
  probe.asked += 1;
  const found = await compareResult(context, batchId);
  switch (found.kind) {
    case 'matches':
      probe.matches.push(batchId);
      return true;
    case 'differs':
      if (found.alike > 0) probe.nearMisses.push({ batchId, alike: found.alike, reason: found.reason });
      else probe.others += 1;
      return true;
    case 'running':
      probe.running.push(batchId);
      return true;
    case 'not_known':
      probe.notKnown += 1;
      return true;
    case 'failed':
      probe.failed += 1;
      return false;
  }
}

function listIds({ from, to }: IdRange): string[] {
  if (!isNumber(from) || !isNumber(to)) throw usage(`${from}..${to}`, 'a range needs ids that are plain numbers');
  const first = BigInt(from);
  const count = Number(BigInt(to) - first) + 1;
  if (count < 1) throw usage(`${from}..${to}`, 'the second id is smaller than the first');
  if (count > MOST_IDS) throw usage(`${from}..${to}`, `these are ${count} ids; at most ${MOST_IDS} are allowed`);
  return Array.from({ length: count }, (_, index) => String(first + BigInt(index)).padStart(from.length, '0'));
}

function isNumber(id: string): boolean {
  return /^\d{1,18}$/.test(id);
}

function usage(range: string, why: string): PipelineError {
  return new PipelineError('USAGE', `look for the batch under ids "${range}"`, why, {
    next: 'Write --probe FROM..TO, such as 1000001..1000050.',
  });
}

/**
 * Suggests a range: between the batch ids that the account received before and after the call, if they are numbers.
 * @returns undefined when neither is known
 */
export function suggestRange(before: string | undefined, after: string | undefined): IdRange | undefined {
  const low = before !== undefined && isNumber(before) ? BigInt(before) + 1n : undefined;
  const high = after !== undefined && isNumber(after) ? BigInt(after) - 1n : undefined;
  const from = low ?? (high === undefined ? undefined : high - SUGGESTED + 1n);
  const to = high ?? (low === undefined ? undefined : low + SUGGESTED - 1n);
  if (from === undefined || to === undefined || to < from) return undefined;
  const last = to - from < BigInt(MOST_IDS) ? to : from + BigInt(MOST_IDS) - 1n;
  return { from: String(from < 0n ? 0n : from), to: String(last) };
}

/** Number of ids when only one neighbor is known: as many as an operator waits for. */
const SUGGESTED = 50n;
