import { beforeAll, describe, expect, it } from 'vitest';
import { ACTIONS } from '../../../schemas/actions.ts';
import type { BatchState, FileState } from '../../../schemas/lifecycle.ts';
import { pauseAccount } from '../../../src/ledger/account/pause-account.ts';
import { readBatchRow } from '../../../src/ledger/file/read-file.ts';
import { HANDLED } from '../../../src/web/actions/actions-for.ts';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { fileNamed, openAction } from '../support/action-page.ts';
import { openDashboardWorld, type TestBrowser } from '../support/dashboard-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

/** States of a batch that was or may have been sent. */
const MAY_BE_SENT: readonly BatchState[] = ['sending', 'unknown', 'submitted', 'result_in', 'exception', 'reconciled'];
const FILE_STATES: readonly FileState[] = ['held', 'in_progress'];
const CASES = FILE_STATES.flatMap((file) => MAY_BE_SENT.map((batch) => ({ file, batch })));

/** Every field that an action may ask for. */
const FORM = {
  reason: 'to see whether it can be sent again',
  evidence: 'Ann of the service desk, ticket 4711',
  batchId: '1000001',
  from: '1',
  to: '1',
};

const world = openedForTests(openDashboardWorld);
let admin: TestBrowser;
let fileId: string;
beforeAll(async () => {
  admin = await world.as('admin');
  await pauseAccount(world.app.ledger, 'main', { actor: 'operator:ada', reason: 'wait' });
  await world.drop('card', 'june.csv', lines([cardRow(1)]));
  await world.finish();
  ({ file_id: fileId } = await fileNamed(world, 'june.csv'));
});

/** Sets these states, as after a call that may have just reached the service. */
async function setDown(file: FileState, batch: BatchState): Promise<void> {
  const client = await world.app.ledger.pool.connect();
  try {
    await client.query('BEGIN');
    // Otherwise the database rightly refuses the change.
    await client.query('SET LOCAL session_replication_role = replica');
    await client.query('UPDATE file SET state = $2 WHERE file_id = $1', [fileId, file]);
    await client.query(
      `UPDATE batch SET state = $2, attempt = 1,
         batch_id = CASE WHEN $2 IN ('submitted', 'result_in', 'exception', 'reconciled') THEN 'b1' END,
         token = CASE WHEN $2 = 'sending' THEN gen_random_uuid() END, worker = CASE WHEN $2 = 'sending' THEN $3 END,
         lease_until = CASE WHEN $2 = 'sending' THEN clock_timestamp() + interval '1 minute' END
       WHERE file_id = $1`,
      [fileId, batch, world.app.ledger.instance.id],
    );
    await client.query(
      `INSERT INTO attempt (file_id, batch_no, attempt, worker, host, request_bytes, started_at, call)
       VALUES ($1, 1, 1, 'worker', 'service.test', 10, now(), gen_random_uuid()) ON CONFLICT DO NOTHING`,
      [fileId],
    );
    await client.query('COMMIT');
  } finally {
    client.release();
  }
}

async function tryAction(action: (typeof HANDLED)[number]): Promise<void> {
  const base = ACTIONS[action].to === 'batch' ? `/files/${fileId}/batches/1` : `/files/${fileId}`;
  const path = `${base}/do/${action}`;
  const { hidden } = await openAction(admin, `${path}?${new URLSearchParams(FORM).toString()}`);
  await admin.post(path, { bind: 'none', ...FORM, ...hidden });
}

describe('the actions of files and batches', () => {
  it.each(CASES)(
    'let nothing that is $batch in a file that is $file be sent or count as never sent',
    async (states) => {
      for (const action of HANDLED.filter((name) => ACTIONS[name].to === 'file' || ACTIONS[name].to === 'batch')) {
        await setDown(states.file, states.batch);
        await tryAction(action);
        const { state, attempt } = await readBatchRow(world.app.ledger, { fileId, batchNo: 1 });
        expect(['ready', 'preparing', 'refused', 'cancelled'], `${action} of ${states.batch}`).not.toContain(state);
        expect(attempt, action).toBe(1);
      }
      const { rows } = await world.app.ledger.pool.query('SELECT 1 FROM attempt WHERE attempt > 1');
      expect(rows).toEqual([]);
      expect(world.sandbox.books()).toEqual([]);
    },
  );
});
