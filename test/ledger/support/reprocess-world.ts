import { reconcileBatch } from '../../support/end-batches.ts';
import type { SentOutcome } from '../../../schemas/lifecycle.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { type Judged, judgeItems } from '../../../src/ledger/reprocess/judge-items.ts';
import { beginReprocess } from '../../../src/ledger/reprocess/move-run.ts';
import { type Picked, selectPicked } from '../../../src/ledger/reprocess/select-items.ts';
import { changeOutcomes } from '../../../src/ledger/row/change-outcomes.ts';
import { recordResubmission } from '../../../src/ledger/row/resubmissions.ts';
import { type LedgerWorld, outcomesOf } from '../../support/ledger-world.ts';

export type Ended = Partial<{ outcome: SentOutcome; code: number | null }>;

/** Advice: the same data may be sent again later. */
export const DECLINED: Ended = { outcome: 'declined', code: 14 };
/** Advice: never. */
export const LOST_CARD: Ended = { outcome: 'declined', code: 7 };

export const ADA = { actor: 'operator:ada', reason: 'the line to the bank is up again' };

/** Steps with which tests of selections and runs get their files. */
export type ReprocessWorld = {
  /** Makes a finished file of one batch. Its rows from line 2 on get these outcomes; one more is approved. */
  finished(outcomes: readonly Ended[], account?: string): Promise<FileRow>;
  /** Changes what is known of the row in line 2. */
  learn(file: FileRow, change: Ended): Promise<void>;
  pick(picked: Partial<Picked>): Promise<number>;
  judge(runNo: number): Promise<Judged>;
  /** Records that a person resubmitted these lines by hand. @returns the number of the resubmission */
  resubmit(file: FileRow, lines: number[]): Promise<number>;
  begun(runNo: number): Promise<void>;
};

export function reprocessWorld(world: LedgerWorld): ReprocessWorld {
  const judge = (runNo: number) => judgeItems(world.ledger.pool, runNo);
  return {
    finished: async (outcomes, account = 'main') => {
      const file = await world.accepted({ account, rowsPerBatch: outcomes.length + 1 });
      const batch = await world.putBatch({ fileId: file.file_id, batchNo: 1 }, 'result_in');
      const rows = outcomesOf(batch).map((row, index) => ({ ...row, ...outcomes[index] }));
      await reconcileBatch(world.ledger, { fileId: file.file_id, batchNo: 1 }, file.file_no, rows, {});
      return world.putFile(file.file_id, 'completed');
    },
    learn: async (file, change) => {
      const key = { fileId: file.file_id, batchNo: 1 };
      const [first] = outcomesOf(await world.putBatch(key, 'reconciled'));
      const by = { actor: 'worker:poll', reason: 'late', source: 'asked again' };
      await transact(world.ledger, (tx) => changeOutcomes(tx, key, [{ ...first!, ...change }], by));
    },
    pick: (picked) => selectPicked(world.ledger, { rows: [], batches: [], lost: [], ...picked }, ADA),
    judge,
    resubmit: (file, lines) => {
      const order = { name: `again-${lines[0]}.csv`, sha256: 'a', lines, cents: 200 };
      return recordResubmission(world.ledger, file, order, { actor: 'operator:bob', reason: 'by hand' });
    },
    begun: async (runNo) => {
      const { digest } = await judge(runNo);
      await beginReprocess(world.ledger, runNo, { digest, name: 'Declines of June' }, ADA);
    },
  };
}

/** Returns SQL for what a host reports after an older copy of the ledger was restored. */
export function lostCall(account: string): string {
  return `INSERT INTO forgotten_send (account, merchant_no, file_id, batch_no, attempt, sha256, at, since)
          VALUES ('${account}', merchant_of('${account}'), 'lost-${account}', 1, 1, 'a', now(), now())`;
}
