import type { App } from '../../src/app.ts';
import type { BatchKey } from '../../src/ledger/engine/move.ts';
import { readBatchRow } from '../../src/ledger/file/read-file.ts';
import { ringAfter } from '../../workers/ring.ts';
import { submitStage } from '../../workers/submit/submit.ts';

/**
 * Makes one call of the account of a batch, if that batch is ready. The call is of the account's next batch, which is this one
 * unless an earlier one is ready, too.
 * @throws what kept the stage from it
 */
export async function submitBatch(app: App, key: BatchKey): Promise<void> {
  const { state, account } = await readBatchRow(app.ledger, key);
  if (state !== 'ready') return;
  const stage = submitStage({ sliceMs: 0 });
  const turn = { account };
  const notEnded = await stage.work(app, [turn], {
    stop: new AbortController().signal,
    end: async () => {},
    fail: async () => {},
    trace: (_thing, work) => work(),
  });
  const why = notEnded.get(turn);
  if (typeof why === 'object') throw why.error;
  if (why === undefined) await ringAfter(app, 'submit');
}
