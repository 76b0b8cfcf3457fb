import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { BATCH_STATES, type BatchState, FILE_STATES, type FileState } from '../../schemas/lifecycle.ts';
import { readBatchRow, readFileRow } from '../../src/ledger/file/read-file.ts';
import type { BatchRow } from '../../src/ledger/engine/records.ts';
import { bindForTest } from '../support/bind-for-test.ts';
import { compareAll, openTestLedger } from '../support/ledger-world.ts';
import { openedForTests } from '../support/opened-for-tests.ts';
import { stopAccount } from '../../src/ledger/account/stop-account.ts';

/** Every condition of the database functions that decide what may be sent, one at a time. */
const world = openedForTests(openTestLedger);
beforeEach(() => world.empty());

async function ask<Value>(sql: string, values: readonly unknown[]): Promise<Value> {
  const { rows } = await world.ledger.pool.query<{ answer: Value }>(`SELECT ${sql} AS answer`, [...values]);
  return rows[0]!.answer;
}

const placeOf = ({ account, file_id: fileId, body_sha256: sha256 }: BatchRow) => [account, fileId, sha256];
const mayLeave = (batch: BatchRow) => ask<boolean>('may_leave($1, $2, $3)', placeOf(batch));
const wasSent = (batch: BatchRow) => ask<boolean>('was_sent_before($1, $2, $3)', placeOf(batch));

async function nextOf(account: string): Promise<[string, number] | undefined> {
  const { rows } = await world.ledger.pool.query<{ file_id: string; batch_no: number }>(
    'SELECT file_id, batch_no FROM next_to_send($1)',
    [account],
  );
  return rows[0] && [rows[0].file_id, rows[0].batch_no];
}

type Forgotten = {
  fileId?: string;
  batchNo?: number;
  account?: string;
  sha256?: string;
  state?: string | null;
  call?: string | null;
};

/** Gives the merchant of an account another name, as after a renaming. */
async function alsoCall(account: string, name: string): Promise<void> {
  await bindForTest(world.ledger, account);
  await world.force(
    `INSERT INTO account (account, merchant_no, country, currency, since)
     SELECT $2, merchant_no, country, currency, now() FROM account WHERE account = $1`,
    [account, name],
  );
}

type Late = { says?: string | null; acknowledged?: boolean };

/** Writes down that something came after a file was taken. */
async function comeLate(fileId: string, { says = '2 rows more', acknowledged = false }: Late = {}): Promise<void> {
  await world.force(
    `INSERT INTO late_arrival (file_id, kind, bytes, sha256, says, found_at, acknowledged_at)
     VALUES ($1, 'bytes', 1, gen_random_uuid()::text, $2, now(), CASE WHEN $3 THEN now() END)`,
    [fileId, says, acknowledged],
  );
}

/** Puts a call into the ledger that an older copy of it had forgotten. */
async function forget({
  fileId = 'elsewhere',
  batchNo = 1,
  account = 'main',
  sha256 = 'x',
  state = null,
  call = null,
}: Forgotten) {
  await bindForTest(world.ledger, account);
  await world.force(
    `INSERT INTO forgotten_send (file_id, batch_no, attempt, call, account, merchant_no, sha256, batch_state, at, since)
     VALUES ($1, $2, 1, $3, $4, (SELECT merchant_of($4)), $5, $6, now(), now())`,
    [fileId, batchNo, call, account, sha256, state],
  );
}

async function firstBatch(account = 'main'): Promise<BatchRow> {
  const { file_id: fileId } = await world.accepted({ account, batches: 2 });
  return readBatchRow(world.ledger, { fileId, batchNo: 1 });
}

describe('may_leave', () => {
  it.each(Object.keys(FILE_STATES) as FileState[])('of a batch of a file that is %s', async (state) => {
    const batch = await firstBatch();
    await world.putFile(batch.file_id, state);
    expect(await mayLeave(batch)).toBe(state === 'accepted' || state === 'in_progress');
  });

  it.each([
    ['main', false],
    ['*', false],
    ['side', true],
    ['another name of main', false],
  ])('while account %s is stopped is %s', async (account, answer) => {
    const batch = await firstBatch();
    await alsoCall('main', 'another name of main');
    await stopAccount(world.ledger, account, 'to see');
    expect(await mayLeave(batch)).toBe(answer);
  });

  it.each(Object.keys(BATCH_STATES) as BatchState[])(
    'beside another batch of the account that is %s',
    async (state) => {
      const batch = await firstBatch();
      await world.batchIn(state, { account: 'main' });
      expect(await mayLeave(batch)).toBe(state !== 'unknown' && state !== 'refused');
    },
  );

  it('looks at batches of its own merchant only, by whichever name, and at bytes that were sent before', async () => {
    const batch = await firstBatch();
    await world.batchIn('unknown', { account: 'side' });
    expect(await mayLeave(batch)).toBe(true);
    await alsoCall('main', 'main.1');
    const other = await world.batchIn('unknown', { account: 'main.1' });
    expect(await mayLeave(batch)).toBe(false);
    await world.putBatch({ fileId: other.file_id, batchNo: 1 }, 'reconciled');
    expect(await mayLeave(batch)).toBe(true);
    await forget({ sha256: batch.body_sha256 });
    // Its rows are compared with the forgotten call, so that nothing but its bytes holds it.
    await compareAll(world);
    expect(await mayLeave(batch)).toBe(false);
  });

  it('is false once something came after its own file was taken', async () => {
    const batch = await firstBatch();
    await comeLate((await firstBatch()).file_id);
    expect(await mayLeave(batch)).toBe(true);
    await comeLate(batch.file_id);
    expect(await mayLeave(batch)).toBe(false);
  });
});

describe('has_come_late', () => {
  const cases: readonly [string, Late, boolean][] = [
    ['what differs', {}, true],
    ['what agrees', { says: null }, false],
    ['what a person has decided about', { acknowledged: true }, false],
  ];

  it.each(cases)('of %s', async (_what, late, answer) => {
    const [batch, other] = [await firstBatch(), await firstBatch()];
    await comeLate(batch.file_id, late);
    expect(await ask<boolean>('has_come_late($1)', [batch.file_id])).toBe(answer);
    expect(await ask<boolean>('has_come_late($1)', [other.file_id])).toBe(false);
    await comeLate(batch.file_id);
    expect(await ask<boolean>('has_come_late($1)', [batch.file_id])).toBe(true);
  });
});

describe('is_bound', () => {
  it('is true only of an account that means the same merchant, country and currency', async () => {
    await bindForTest(world.ledger, 'main');
    await bindForTest(world.ledger, 'side');
    const no = (account: string) => world.ledger.bound.get(account)!.merchantNo;
    const isBound = (account: string, ...keys: string[]) => ask<boolean>('is_bound($1, $2)', [account, keys]);
    const [main, side] = [`main ${no('main')} US USD`, `side ${no('side')} US USD`];
    expect(await isBound('main', main)).toBe(true);
    expect(await isBound('main', side, main)).toBe(true);
    for (const other of [`main ${no('side')} US USD`, `main ${no('main')} CA USD`, `main ${no('main')} US CAD`])
      expect([other, await isBound('main', other, side)]).toEqual([other, false]);
    expect(await isBound('main', side)).toBe(false);
    expect(await isBound('main')).toBe(false);
    expect(await isBound('none', main, `none ${no('main')} US USD`)).toBe(false);
  });
});

describe('is_calling', () => {
  it.each(Object.keys(BATCH_STATES) as BatchState[])('beside a batch that is %s', async (state) => {
    const isCalling = (account: string) => ask<boolean>('is_calling($1)', [account]);
    await world.batchIn(state, { account: 'main' });
    await alsoCall('main', 'main.1');
    await bindForTest(world.ledger, 'side');
    const answer = state === 'sending';
    expect([await isCalling('main'), await isCalling('main.1'), await isCalling('side')]).toEqual([
      answer,
      answer,
      false,
    ]);
  });
});

describe('was_sent_before', () => {
  it.each([
    ['the same bytes', (batch: BatchRow) => ({ sha256: batch.body_sha256, state: 'ready' }), true],
    [
      'the same bytes of another merchant',
      (batch: BatchRow) => ({ sha256: batch.body_sha256, account: 'side' }),
      false,
    ],
    ['the same bytes by a former name', (batch: BatchRow) => ({ sha256: batch.body_sha256, account: 'main.1' }), true],
    ['a batch of the file that the ledger never cut', (batch: BatchRow) => ({ fileId: batch.file_id }), true],
    [
      'a batch of the file that the ledger knows',
      (batch: BatchRow) => ({ fileId: batch.file_id, state: 'ready' }),
      false,
    ],
    ['other bytes of another file', () => ({}), false],
  ])('of %s', async (_what, of, answer) => {
    const batch = await firstBatch();
    await alsoCall('main', 'main.1');
    await forget(of(batch));
    expect(await wasSent(batch)).toBe(answer);
  });
});

describe('next_to_send', () => {
  it('is the first batch of the file that was claimed first, of this account', async () => {
    await firstBatch('side');
    const [first, second] = [await firstBatch(), await firstBatch()];
    expect(await nextOf('main')).toEqual([first.file_id, 1]);
    await world.putBatch({ fileId: first.file_id, batchNo: 1 }, 'submitted');
    expect(await nextOf('main')).toEqual([first.file_id, 2]);
    await world.putFile(first.file_id, 'held');
    expect(await nextOf('main')).toEqual([second.file_id, 1]);
    expect(await nextOf('none')).toBeUndefined();
  });

  it('goes by the lines of the batches and not by their numbers', async () => {
    const { file_id: fileId } = await firstBatch();
    await world.force('UPDATE batch SET first_line = 100, last_line = 101 WHERE file_id = $1 AND batch_no = 1', [
      fileId,
    ]);
    expect(await nextOf('main')).toEqual([fileId, 2]);
  });

  it('passes over a file of which something came late', async () => {
    const [first, second] = [await firstBatch(), await firstBatch()];
    await comeLate(first.file_id);
    expect(await nextOf('main')).toEqual([second.file_id, 1]);
  });

  it('passes over a batch whose bytes were sent before', async () => {
    const batch = await firstBatch();
    await forget({ sha256: batch.body_sha256 });
    await compareAll(world);
    expect(await nextOf('main')).toEqual([batch.file_id, 2]);
  });
});

describe('is_admitted', () => {
  const CHANGES: readonly [string, string, boolean][] = [
    ['that took part in the opening', '', true],
    ['of an earlier opening', 'UPDATE sender SET epoch = epoch - 1', false],
    ['that is lost', `UPDATE sender SET state = 'lost'`, false],
    ['that is retired', `UPDATE sender SET state = 'retired'`, false],
  ];

  it.each(CHANGES)('of a journal %s', async (_what, sql, answer) => {
    const { rows } = await world.ledger.pool.query<{ journal: string; epoch: number; state: string }>(
      'SELECT s.journal, a.epoch, s.state FROM sender s, admission a',
    );
    const [{ journal, epoch, state }] = rows as [{ journal: string; epoch: number; state: string }];
    if (sql !== '') await world.force(sql);
    expect(await ask<boolean>('is_admitted($1, $2)', [journal, epoch])).toBe(answer);
    await world.force('UPDATE sender SET epoch = $1, state = $2', [epoch, state]);
    expect(await ask<boolean>('is_admitted($1, $2)', [journal, epoch + 1])).toBe(false);
    expect(await ask<boolean>('is_admitted($1, $2)', [randomUUID(), epoch])).toBe(false);
  });

  it('is false for everyone while the ledger is closed', async () => {
    const { rows } = await world.ledger.pool.query<{ journal: string; epoch: number }>(
      'SELECT s.journal, a.epoch FROM sender s, admission a',
    );
    const values = [rows[0]!.journal, rows[0]!.epoch];
    await world.ledger.pool.query('UPDATE admission SET is_open = false, closing = gen_random_uuid()');
    expect(await ask<boolean>('is_admitted($1, $2)', values)).toBe(false);
    await world.ledger.pool.query('UPDATE admission SET is_open = true');
    expect(await ask<boolean>('is_admitted($1, $2)', values)).toBe(true);
  });
});

describe('unknown_sends', () => {
  /** Whether the ledger does not know a send; `call` is null where the journal has no id of it. */
  async function isUnknown(fileId: string, batchNo: number, attempt: number, call: string | null): Promise<boolean> {
    const { rows } = await world.ledger.pool.query(
      'SELECT * FROM unknown_sends($1::text[], $2::integer[], $3::integer[], $4::uuid[])',
      [[fileId], [batchNo], [attempt], [call]],
    );
    return rows.length === 1;
  }

  it('knows an attempt by the id of its call, and without an id by file, batch and number', async () => {
    const batch = await world.sending({ account: 'main' });
    const { file_id: fileId } = await readFileRow(world.ledger, batch.file_id);
    expect(await isUnknown(fileId, 1, 1, batch.token)).toBe(false);
    expect(await isUnknown(fileId, 1, 1, randomUUID())).toBe(true);
    expect(await isUnknown(fileId, 1, 1, null)).toBe(false);
    expect(await isUnknown(fileId, 1, 2, null)).toBe(true);
    expect(await isUnknown(fileId, 2, 1, null)).toBe(true);
    expect(await isUnknown('another', 1, 1, null)).toBe(true);
  });

  it('knows a forgotten call that was found before, by its id or by its place, and not by the place of one with an id', async () => {
    const call = randomUUID();
    await forget({ fileId: 'withid', call });
    await forget({ fileId: 'without' });
    expect(await isUnknown('elsewhere', 9, 9, call)).toBe(false);
    expect(await isUnknown('withid', 1, 1, null)).toBe(true);
    expect(await isUnknown('without', 1, 1, null)).toBe(false);
    expect(await isUnknown('without', 1, 2, null)).toBe(true);
  });
});
