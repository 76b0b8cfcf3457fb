import { beforeAll, describe, expect, it } from 'vitest';
import { openedForTests } from '../support/opened-for-tests.ts';
import { BATCH_MOVES, BATCH_STATES, type BatchState } from '../../schemas/lifecycle.ts';
import { cancelBatch, cancelFile } from '../../src/ledger/file/cancel-file.ts';
import type { BatchKey } from '../../src/ledger/engine/move.ts';
import {
  acknowledgeForgotten,
  ALL_ACCOUNTS,
  pauseAccount,
  resumeAccount,
} from '../../src/ledger/account/pause-account.ts';
import { pollNow } from '../../src/ledger/batch/schedule-poll.ts';
import { approveFile, declineFile } from '../../src/ledger/file/release-held.ts';
import { retryRefused, withdrawBatch } from '../../src/ledger/batch/retry-refused.ts';
import { readBatchRow, readFileRow } from '../../src/ledger/file/read-file.ts';
import { askForResult } from '../../workers/poll/poll.ts';
import { rebuildOutputs } from '../../workers/deliver/rebuild-outputs.ts';
import { requeueFile } from '../../src/actions/batch-actions.ts';
import { planResubmission, resubmitRows } from '../../src/actions/resubmit.ts';
import { admitHere } from '../../workers/admit-here.ts';
import { sweep } from '../../workers/upkeep/sweep.ts';
import { achRow, lines } from '../support/payment-rows.ts';
import { openPipelineWorld } from '../support/pipeline-world.ts';
import { checkFolders } from '../../workers/watch/check-folders.ts';
import { query, takeIn } from './support/story.ts';
import { submitBatch } from '../support/work-alone.ts';

/**
 * No verb of a user sends a batch that may have been sent before, unless a resolution was recorded. Verbs that record
 * one are left out. Each verb is tried on a batch in every state. Then the batch is offered for sending, and ledger and
 * sandbox's books are checked.
 */

const world = openedForTests(() =>
  openPipelineWorld({ account: { poll: { firstMs: 60_000, factor: 1, longestMs: 60_000 } } }),
);
beforeAll(async () => {
  await checkFolders(world.settings);
});

const because = { actor: 'operator:ada', reason: 'tried in every state' };

/** Each verb as its command calls it. Most refuse most states, as they should. */
const VERBS: Record<string, (key: BatchKey) => Promise<unknown>> = {
  requeue: async (key) => requeueFile(world.app, await fileOf(key), await readBatchRow(world.app.ledger, key)),
  'requeue of the file': async (key) => requeueFile(world.app, await fileOf(key)),
  repoll: async (key) => {
    await pollNow(world.app.ledger, key, because);
    await askForResult(world.app, key);
  },
  'rebuild-outputs': async (key) => rebuildOutputs(world.app, await fileOf(key)),
  resubmit: async (key) => {
    const file = await fileOf(key);
    await resubmitRows(world.app, file, { ...(await planResubmission(world.app, file)), lines: [1] }, because);
  },
  pause: () => pauseAccount(world.app.ledger, 'main', because),
  resume: () => resumeAccount(world.app.ledger, 'main', because),
  'resume of all': () => resumeAccount(world.app.ledger, ALL_ACCOUNTS, because),
  acknowledge: () => acknowledgeForgotten(world.app.ledger, 'main', because),
  approve: (key) => approveFile(world.app.ledger, key.fileId, because),
  decline: (key) => declineFile(world.app.ledger, key.fileId, because),
  retry: (key) => retryRefused(world.app.ledger, key, because),
  withdraw: (key) => withdrawBatch(world.app.ledger, key, because),
  cancel: (key) => cancelBatch(world.app.ledger, key, because),
  'cancel of the file': (key) => cancelFile(world.app.ledger, key.fileId, because),
  'compare with the journal': () => admitHere(world.app),
};

function fileOf({ fileId }: BatchKey) {
  return readFileRow(world.app.ledger, fileId);
}

/** States in which certainly nothing of the batch was booked. */
const NEVER_BOOKED: readonly BatchState[] = ['ready', 'refused', 'cancelled'];
/** States that a batch reaches by a call. */
const CALLED = (Object.keys(BATCH_STATES) as BatchState[]).filter(
  (state) => state === 'refused' || !NEVER_BOOKED.includes(state),
);
const VERDICTS: Partial<Record<BatchState, string>> = { refused: 'refused', unknown: 'unknown' };
/** The only transitions these verbs may make. */
const THEIR_MOVES = new Set<string>(['cancel', 'retry', 'withdraw']);

async function force(sql: string, values: unknown[] = []): Promise<void> {
  const client = await world.app.ledger.pool.connect();
  try {
    await client.query('SET session_replication_role = replica');
    await client.query(sql, values);
  } finally {
    await client.query('RESET session_replication_role');
    client.release();
  }
}

/** Puts the batch in this state and its file in progress, and removes everything else that closes the account. */
async function put({ fileId }: BatchKey, state: BatchState): Promise<void> {
  const isHeld = state === 'sending';
  const batchId = ['submitted', 'result_in', 'exception', 'reconciled'].includes(state) ? fileId : null;
  await force(
    `UPDATE batch SET state = $2, attempt = 1, not_before = NULL, next_poll_at = NULL, batch_id = $3,
       token = CASE WHEN $4 THEN gen_random_uuid() END, worker = CASE WHEN $4 THEN $5 END,
       lease_until = CASE WHEN $4 THEN clock_timestamp() + interval '1 minute' END WHERE file_id = $1`,
    [fileId, state, batchId, isHeld, world.app.ledger.instance.id],
  );
  await force('DELETE FROM attempt WHERE file_id = $1', [fileId]);
  if (CALLED.includes(state))
    await force(
      `INSERT INTO attempt (file_id, batch_no, attempt, worker, host, request_bytes, started_at, ended_at, verdict, call)
       VALUES ($1, 1, 1, 'another', 'service.test', 1, now(), CASE WHEN $2::text IS NOT NULL THEN now() END, $2, gen_random_uuid())`,
      [fileId, VERDICTS[state] ?? null],
    );
  await force(`UPDATE file SET state = 'in_progress' WHERE file_id = $1`, [fileId]);
  await force('DELETE FROM account_stop');
}

async function newBatch(invoice: string): Promise<BatchKey> {
  const content = lines([achRow(1, { invoice })]);
  return { fileId: await takeIn(world.app, 'drop/ach-charge', content, `${invoice}.csv`), batchNo: 1 };
}

async function evidenceOf({ fileId }: BatchKey, invoice: string) {
  const attempts = await query(world.app, 'SELECT 1 FROM attempt WHERE file_id = $1', [fileId]);
  return { attempts: attempts.length, booked: world.sandbox.books().filter((row) => row.invoice === invoice).length };
}

describe('every verb on a batch in every state', () => {
  it.each(Object.keys(BATCH_STATES) as BatchState[])('sends nothing again that is %s', async (state) => {
    const key = await newBatch(state);
    for (const [verb, run] of Object.entries(VERBS)) {
      await put(key, state);
      await run(key).catch(() => 'refused');
      const now = await readBatchRow(world.app.ledger, key);
      const move = BATCH_MOVES.find((row) => row.from === state && row.to === now.state);
      const isTheirs = now.state === state || (move !== undefined && THEIR_MOVES.has(move.name));
      expect({ verb, from: state, to: now.state, isTheirs }).toMatchObject({ isTheirs: true });
      if (NEVER_BOOKED.includes(state)) continue;
      await force('DELETE FROM account_stop');
      await sweep(world.app);
      await submitBatch(world.app, key);
      expect({ verb, ...(await evidenceOf(key, state)) }).toEqual({ verb, attempts: 1, booked: 0 });
    }
    // Clears the way for the next state: a batch in doubt closes the account by itself.
    await put(key, 'cancelled');
  });

  it('lets one go that was refused, by retry, so the gate was not just shut', async () => {
    const key = await newBatch('FREE');
    await put(key, 'refused');
    await submitBatch(world.app, key);
    expect(await evidenceOf(key, 'FREE')).toEqual({ attempts: 1, booked: 0 });
    await retryRefused(world.app.ledger, key, because);
    await submitBatch(world.app, key);
    expect(await evidenceOf(key, 'FREE')).toEqual({ attempts: 2, booked: 1 });
  });
});
