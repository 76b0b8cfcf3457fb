import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Fault } from '../../../src/rows/rows.ts';
import { previewVerdict } from '../../../src/explain/validate/preview-verdict.ts';
import { approveFile } from '../../../src/ledger/file/release-held.ts';
import { recallForgotten } from '../../../src/ledger/doubt/recall-batch.ts';
import { findSendable } from '../../support/due-work.ts';
import { readForgotten } from '../../../src/ledger/duplicates/find-forgotten-rows.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { mergeMerchant } from '../../../src/ledger/merchant/keep-merchant.ts';
import { readMarks } from '../../../src/ledger/admission/send-marks.ts';
import { compareForgotten } from '../../../workers/upkeep/compare-forgotten.ts';
import { achRow, lines, upTo } from '../../support/payment-rows.ts';
import { forceSql } from '../../support/force-sql.ts';
import { pollWorld } from '../support/scripted-gateway.ts';

// What a restored ledger has forgotten is known again row by row: at intake, at the gate and at the approval.

const world = pollWorld();
const because = { actor: 'operator:ada', reason: 'looked the rows up' };

/** Sends three rows of an account, and lets the ledger forget file and call. */
async function forgetSent({ rows = 3, isMarked = true } = {}) {
  const { account, key } = await world.submitted({ rows });
  const gone = `(SELECT merchant_no FROM merchant WHERE chain = 'gone-${account}')`;
  await forceSql(
    world.app,
    `INSERT INTO merchant (chain, since) VALUES ('gone-${account}', now());
     UPDATE file SET account = 'gone-${account}', merchant_no = ${gone} WHERE account = '${account}';
     UPDATE batch SET account = 'gone-${account}', merchant_no = ${gone} WHERE account = '${account}';
     UPDATE fingerprint_volume SET merchant_no = ${gone} WHERE merchant_no = merchant_of('${account}');
     UPDATE attempt SET call = gen_random_uuid() WHERE file_id = '${key.fileId}'`,
  );
  const find = async () => {
    await recallForgotten(world.app.ledger, isMarked ? world.app.journal.path : `${world.root}/none`);
    if (!isMarked)
      await forceSql(
        world.app,
        `INSERT INTO forgotten_send (file_id, batch_no, attempt, account, merchant_no, sha256, batch_id, at, since, call)
         VALUES ('not known', 0, 1, '${account}', merchant_of('${account}'), '', '77', now(), now(), gen_random_uuid())`,
      );
  };
  return { account, gone, find };
}

const take = (account: string, from: number, to: number) =>
  world.takeIn(`drop/${account}/ach-charge`, rowsOf(from, to), `rows-${from}-${to}.csv`);

const rowsOf = (from: number, to: number) => lines(upTo(to - from + 1).map((n) => achRow(from - 1 + n)));

async function preview(account: string, from: number, to: number, mostFaults = 200) {
  async function* source(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(rowsOf(from, to));
  }
  const folder = world.app.folder(`drop/${account}/ach-charge`)!;
  return previewVerdict(world.app, folder, { name: 'previewed.csv', source: source(), mostFaults });
}

const saidOf = (faults: readonly Fault[]) => faults.map(({ line, code }) => `${line} ${code}`).toSorted();

async function faultsOf(fileId: string): Promise<string[]> {
  const rows = await world.query<{ said: string }>(
    `SELECT line || ' ' || code AS said FROM row_fault JOIN file USING (file_no) WHERE file_id = $1 ORDER BY seq`,
    [fileId],
  );
  return rows.map(({ said }) => said);
}

describe('a file with rows of a call that the ledger has forgotten', () => {
  it.each([
    ['the same rows and one more', 1, 4, [1, 2, 3]],
    ['one row less', 1, 2, [1, 2]],
    ['one of them among others', 3, 6, [1]],
    ['none of them', 4, 6, []],
  ])('is held at its intake, each such row flagged: %s', async (_, from, to, flagged) => {
    const { account, find } = await forgetSent();
    await find();
    const previewed = await preview(account, from, to);
    const fileId = await take(account, from, to);
    const isHeld = flagged.length > 0;
    expect(saidOf(previewed.faults), 'a preview says the same').toEqual((await faultsOf(fileId)).toSorted());
    expect(previewed.faultCount).toBe(previewed.faults.length);
    expect(previewed.decision.verdict).toBe(isHeld ? 'hold' : 'accept');
    expect(await world.file(fileId)).toMatchObject({ state: isHeld ? 'held' : 'accepted' });
    const faults = await faultsOf(fileId);
    expect(faults.includes('0 ROWS_SENT_BEFORE')).toBe(isHeld);
    expect(faults.filter((fault) => !fault.startsWith('0 '))).toEqual(flagged.map((line) => `${line} CHARGED_BEFORE`));
  });

  it('is told by a preview with its first rows, and counted in full', async () => {
    const { account, find } = await forgetSent();
    await find();
    const { faults, faultCount, decision } = await preview(account, 1, 4, 1);
    expect(saidOf(faults)).toEqual(['0 ROWS_SENT_BEFORE', '0 SENT_BEFORE', '1 CHARGED_BEFORE']);
    expect(faultCount).toBe(5);
    expect(decision.verdict).toBe('hold');
    expect(faults.find(({ code }) => code === 'ROWS_SENT_BEFORE')!.detail).toContain('3 rows; line 1 was in a call');
  });

  it('keeps no number and no invoice beside the journal', async () => {
    await forgetSent();
    const folder = `${world.app.journal.path}.marks`;
    const kept = readdirSync(folder)
      .map((name) => readFileSync(`${folder}/${name}`, 'utf8'))
      .join('');
    expect(kept).not.toMatch(/A-1|000001/);
    const [{ call }] = kept
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { call: string }) as [{ call: string }];
    expect((await readMarks(world.app.journal.path, new Set([call]))).get(call)!.length % 8).toBe(0);
  });

  it('is put in doubt if it was accepted before the call was found, and nothing of it leaves before', async () => {
    const { account, find } = await forgetSent();
    const some = await take(account, 3, 6);
    const others = await take(account, 7, 8);
    await find();
    await forceSql(world.app, `DELETE FROM account_stop WHERE account = '${account}'`);
    expect(await findSendable(world.app.ledger, account)).toEqual([]);
    await compareForgotten(world.app);
    expect(await world.query('SELECT batch_no, state FROM batch WHERE file_id = $1 ORDER BY 1', [some])).toEqual([
      { batch_no: 1, state: 'unknown' },
      { batch_no: 2, state: 'ready' },
    ]);
    expect(await world.query('SELECT state FROM batch WHERE file_id = $1', [others])).toEqual([{ state: 'ready' }]);
    expect(await world.file(others)).toMatchObject({ compared_to: expect.any(Number) });
    const links = await world.movesOf({ fileId: some, batchNo: 1 });
    expect(links).toContain('recall');
    // A second comparison finds nothing to do.
    await compareForgotten(world.app);
    expect(await world.movesOf({ fileId: some, batchNo: 1 })).toEqual(links);
  });

  it('cannot be approved before it was compared; the approval then is a word about the flagged rows', async () => {
    const { account, find } = await forgetSent();
    const first = await take(account, 2, 5);
    const held = await world.takeIn(`drop/${account}/ach-charge`, lines([achRow(2), achRow(2)]), 'twice.csv');
    expect(await world.file(held)).toMatchObject({ state: 'held' });
    await find();
    await expect(approveFile(world.app.ledger, held, because)).rejects.toThrow(/not compared with them yet/);
    await compareForgotten(world.app);
    expect(await faultsOf(held)).toEqual(expect.arrayContaining(['1 CHARGED_BEFORE', '0 ROWS_SENT_BEFORE']));
    await approveFile(world.app.ledger, held, because);
    expect(await world.file(held)).toMatchObject({ state: 'accepted' });
    // Its batch is in doubt: nobody has looked at it.
    expect(await world.file(first)).toMatchObject({ state: 'in_progress' });
  });
});

describe('a call of a merchant', () => {
  it('is that of each name of it, and of no other merchant of this name', async () => {
    const { account, gone, find } = await forgetSent();
    await find();
    await forceSql(world.app, `UPDATE forgotten_send SET account = 'before' WHERE account = '${account}'`);
    expect(await world.file(await take(account, 3, 4))).toMatchObject({ state: 'held' });
    await forceSql(
      world.app,
      `UPDATE forgotten_send SET account = '${account}', merchant_no = ${gone} WHERE merchant_no = merchant_of('${account}');
       UPDATE forgotten_row SET merchant_no = ${gone} WHERE merchant_no = merchant_of('${account}')`,
    );
    expect(await world.file(await take(account, 1, 2))).toMatchObject({ state: 'accepted' });
  });

  it('keeps back files that were compared before a person said that the service moved', async () => {
    const { account, find } = await forgetSent();
    const { app } = world;
    await find();
    const shell = `(SELECT merchant_no FROM merchant WHERE chain = 'shell-${account}')`;
    await forceSql(
      app,
      `INSERT INTO merchant (chain, since) VALUES ('shell-${account}', now());
       INSERT INTO merchant_address (mark, merchant_no, since, actor, reason)
       SELECT '${account} at another address', ${shell}, now(), 'system', 'a send journal knows calls to it';
       UPDATE forgotten_send SET merchant_no = ${shell} WHERE merchant_no = merchant_of('${account}');
       UPDATE forgotten_row SET merchant_no = ${shell} WHERE merchant_no = merchant_of('${account}');
       INSERT INTO forgotten_send (file_id, batch_no, attempt, account, merchant_no, sha256, at, since, call, is_marked)
       VALUES ('newer', 1, 1, '${account}', merchant_of('${account}'), 'ab', now(), now(), gen_random_uuid(), true);
       DELETE FROM account_stop WHERE account = '${account}'`,
    );
    const fileId = await take(account, 3, 4);
    expect(await findSendable(app.ledger, account)).toEqual([{ fileId, batchNo: 1 }]);
    const { merchantNo, agentMark } = app.ledger.bound.get(account)!;
    const place = { server: 'NA', address: 'https://moved.test/', isSandbox: false, agentMark, chain: account };
    await transact(app.ledger, (tx) =>
      mergeMerchant(tx, { ...place, mark: `${account} at another address` }, merchantNo, because),
    );
    expect(await findSendable(app.ledger, account)).toEqual([]);
    await compareForgotten(app);
    expect(await world.query('SELECT state FROM batch WHERE file_id = $1', [fileId])).toEqual([{ state: 'unknown' }]);
  });
});

describe('a call whose rows nobody knows', () => {
  it('holds each new file, and keeps accepted ones back until a report covers it', async () => {
    const { account, find } = await forgetSent({ isMarked: false });
    const before = await take(account, 10, 11);
    await find();
    const previewed = await preview(account, 12, 13);
    expect(previewed.decision).toMatchObject({ verdict: 'hold', code: 'ROWS_NOT_KNOWN' });
    const after = await take(account, 12, 13);
    expect(await world.file(after)).toMatchObject({ state: 'held', reason_code: 'ROWS_NOT_KNOWN' });
    await compareForgotten(world.app);
    await forceSql(world.app, `DELETE FROM account_stop WHERE account = '${account}'`);
    expect(await findSendable(world.app.ledger, account)).toEqual([]);
    expect(await readForgotten(world.app.ledger.pool, account)).toMatchObject({ unknown: 1, hasRows: false });
    await approveFile(world.app.ledger, after, because);
    expect(await findSendable(world.app.ledger, account)).toEqual([{ fileId: after, batchNo: 1 }]);
    await forceSql(world.app, `UPDATE forgotten_send SET reconciled_at = now() WHERE account = '${account}'`);
    await compareForgotten(world.app);
    expect(await findSendable(world.app.ledger, account)).toEqual([{ fileId: before, batchNo: 1 }]);
  });
});
