import { expect, it } from 'vitest';
import { endCall } from '../../../src/ledger/batch/commit-send.ts';
import { callFor, declareCall } from '../../support/calls.ts';
import { keyOf, openTestLedger } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { openRelayed } from '../support/start-worker.ts';

const world = openedForTests(openTestLedger);

/** A power cut undoes what was not flushed: a request may leave without an intent, or its batch id may be lost. */
it('waits for the disk before a request may leave, and before its answer counts as recorded', async () => {
  const { ledger, said } = await openRelayed(world);
  const { file_id: fileId } = await world.accepted();
  const batch = await callFor(ledger, { fileId, batchNo: 1 });
  // What a new session says of its settings is not meant.
  await ledger.answers.query('SELECT');
  said.length = 0;
  expect(await declareCall(ledger, batch)).toBe(true);
  const end = { verdict: 'submitted', batchId: '9001', firstPollMs: 0, evidence: {} } as const;
  expect(await endCall(ledger, batch, end)).toBe('moved');
  expect(said.join()).toContain('commit_send');
  expect(said.join()).not.toContain('synchronous_commit');
  const { rows } = await ledger.pool.query('SELECT state FROM batch WHERE file_id = $1', [keyOf(batch).fileId]);
  expect(rows).toEqual([{ state: 'submitted' }]);
});
