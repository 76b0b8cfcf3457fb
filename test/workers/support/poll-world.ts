import type { ResultAnswer } from '../../../src/gateway/answers.ts';
import type { BatchKey } from '../../../src/ledger/engine/move.ts';
import { submitBatch } from '../../../workers/submit/submit.ts';
import { DONE, WAIT } from '../../gateway/support/soap-answers.ts';
import { answering } from './scripted-gateway.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { openStepWorld, type StepWorld } from './step-world.ts';
import { query } from './story.ts';
import { takeInCharges } from './take-in.ts';

export type PollWorld = StepWorld & {
  /** Makes a batch of three rows that the service has taken and whose first poll is due. */
  submitted(plan?: { rows?: number; account?: string; from?: number }): Promise<Submitted>;
  makeDue(key: BatchKey): Promise<void>;
  /** Returns the outcome of each line. */
  outcomesOf(fileId: string): Promise<Record<number, string>>;
};

type Submitted = { account: string; key: BatchKey; batchId: string };

/** Opens, for the tests of a file, a step world with batches of three rows that can be polled. */
export function pollWorld(): PollWorld {
  return openedForTests(openPollWorld);
}

async function openPollWorld(): Promise<PollWorld> {
  const world = await openStepWorld({ accounts: 40, settings: { batch: { maxRows: 3 } } });
  const makeDue = async (key: BatchKey) => {
    await query(world.app, `UPDATE batch SET next_poll_at = now() - interval '1 s' WHERE file_id = $1`, [key.fileId]);
  };
  let batchIds = 100;
  return {
    ...world,
    makeDue,
    submitted: async ({ rows = 3, account = world.freshAccount(), from = 1 } = {}) => {
      const key = { fileId: await takeInCharges(world.app, account, rows, from), batchNo: 1 };
      const batchId = String((batchIds += 1));
      await submitBatch(answering(world.app, { kind: 'submitted', batchId, text: WAIT }).app, key);
      await makeDue(key);
      return { account, key, batchId };
    },
    outcomesOf: async (fileId) => {
      const rows = await query<{ line: number; outcome: string }>(
        world.app,
        'SELECT line, outcome FROM row_outcome JOIN file USING (file_no) WHERE file_id = $1 ORDER BY line',
        [fileId],
      );
      return Object.fromEntries(rows.map((row) => [row.line, row.outcome]));
    },
  };
}

/** Rows as `takeInCharges` makes them, with the number masked as by the service. */
export const ROWS = [1, 2, 3].map((n) => `A-${n},Ada,Byron,CHECKING,0*********************000${n},25.00,June dues`);

export function result(rows: readonly string[]): ResultAnswer {
  return { kind: 'done', file: Buffer.from(`${rows.join('\r\n')}\r\n`), text: DONE };
}

export const GOOD = result(ROWS.map((row) => `${row},Received`));
