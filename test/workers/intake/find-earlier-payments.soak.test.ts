import { describe, expect, it } from 'vitest';
import { copyOutcomes } from '../../../src/ledger/row/copy-rows.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { declineFile } from '../../../src/ledger/file/release-held.ts';
import { readFileRow } from '../../../src/ledger/file/read-file.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { achRow, lines, upTo } from '../../support/payment-rows.ts';
import { openEarlierPaymentsWorld } from '../support/look-back-world.ts';
import { claimContent, takeIn } from '../support/story.ts';
import { intakeFile, takeClaim } from '../../support/work-alone.ts';

const world = openedForTests(openEarlierPaymentsWorld);

const FIRST = [achRow(1), achRow(2), achRow(3)];

let taken = 0;

/** Takes a file in while the clocks of host and database are this many days wrong. The service's clock is right. */
async function takeAt(account: string, days: number, rows: readonly string[]): Promise<string> {
  const { app } = world;
  const clock = { now: () => new Date(Date.now() + days * 86_400_000) };
  const databaseNow = () => `timestamptz '${clock.now().toISOString()}'`;
  taken += 1;
  const wrong = { ...app, clock, ledger: { ...app.ledger, clock, databaseNow } };
  return takeIn(wrong, `drop/${account}/hold`, lines(rows), `wrong-${taken}.csv`);
}

/** Gives every row of a file this outcome and reconciles its batches. */
async function settle(fileId: string, outcome: 'approved' | 'declined' | 'unknown'): Promise<void> {
  const { ledger } = world.app;
  const { file_no: fileNo, physical_lines: count } = await readFileRow(ledger, fileId);
  const client = await ledger.pool.connect();
  await client.query('SET session_replication_role = replica');
  await client.query(`UPDATE batch SET state = 'reconciled' WHERE file_id = $1`, [fileId]);
  await client.query('RESET session_replication_role');
  client.release();
  const rows = upTo(count!).map((line) => ({ line, outcome, code: null, message: 'x', authorization: '' }));
  await transact(ledger, (tx) => copyOutcomes(tx, fileNo, rows));
}

describe('the same rows in other bytes', () => {
  it.each([
    ['in another order', lines(FIRST.toReversed())],
    ['with other line ends', lines(FIRST, '\r\n')],
    ['with blank lines', `\n${lines(FIRST, '\n\n')}`],
    ['without the last line end', lines(FIRST).trimEnd()],
    ['under titles', `Invoice #,First Name,Last Name,Account Type,Account #,Amount,Comment\n${lines(FIRST)}`],
    ['with spaces around the cells', lines(FIRST.map((row) => row.replaceAll(',', ' , ')))],
    ['with amounts written shorter', lines(FIRST).replaceAll('25.00', '25')],
    ['with a bad row among them', lines([...FIRST, achRow(9, { amount: 'ten' })]), ['TOO_MANY_BAD_ROWS']],
  ])('%s hold the file, which names the first', async (_, content, beside: string[] = []) => {
    const account = world.freshAccount();
    const first = await world.take(account, 'any', FIRST);
    const { state, code, reason, duplicateOf, codes } = await world.verdictOf(
      await world.take(account, 'any', content),
    );
    expect({ state, duplicateOf }).toEqual({ state: 'held', duplicateOf: first });
    expect(codes).toContain('SAME_ROWS');
    expect(code).toBe(beside[0] ?? 'SAME_ROWS');
    expect(reason).toContain(
      beside.length > 0 ? 'this account has already taken the same rows in another form' : `file ${first}`,
    );
  });

  it.each([
    ['a row less', FIRST.slice(1)],
    ['a row more', [...FIRST, achRow(4)]],
    ['a row twice', [...FIRST, achRow(4), achRow(4)]],
    ['another comment', [achRow(1, { comment: 'July dues' }), ...FIRST.slice(1)]],
    ['another amount', [achRow(1, { amount: '25.01' }), ...FIRST.slice(1)]],
  ])('are not those with %s', async (_, rows) => {
    const account = world.freshAccount();
    await world.take(account, 'any', FIRST);
    expect((await world.verdictOf(await world.take(account, 'any', rows))).codes).not.toContain('SAME_ROWS');
  });

  it('are seen in every folder of the account, and in no other account', async () => {
    const account = world.freshAccount();
    await world.take(account, 'any', FIRST);
    expect(await world.verdictOf(await world.take(account, 'off', FIRST.toReversed()))).toMatchObject({
      code: 'SAME_ROWS',
    });
    expect(await world.verdictOf(await world.take(world.freshAccount(), 'hold', FIRST.toReversed()))).toMatchObject({
      state: 'accepted',
      codes: [],
    });
  });

  it('that come at the same moment are accepted once', async () => {
    const account = world.freshAccount();
    const contents = [FIRST, FIRST.toReversed(), [FIRST[1]!, FIRST[0]!, FIRST[2]!]];
    const claims = [];
    for (const [index, rows] of contents.entries()) {
      const claim = await claimContent(world.app, `drop/${account}/any`, `at-once-${index}.csv`, lines(rows));
      await takeClaim(world.app, claim);
      claims.push(claim);
    }
    await Promise.all(claims.map(({ fileId }) => intakeFile(world.app, { fileId })));
    const verdicts = await Promise.all(claims.map(({ fileId }) => world.verdictOf(fileId)));
    expect(verdicts.map(({ state }) => state).toSorted()).toEqual(['accepted', 'held', 'held']);
    expect(verdicts.filter(({ state }) => state === 'held').every(({ code }) => code === 'SAME_ROWS')).toBe(true);
  });

  it('are found in a file of thousands of rows with one invoice and one amount, without comparing each with each', async () => {
    const account = world.freshAccount();
    const dues = (first: number) => upTo(13_000).map((n) => achRow(first + n, { invoice: 'DUES-06' }));
    await world.take(account, 'warn', dues(0));
    const again = await world.take(account, 'warn', [...dues(50_000), achRow(13_000, { invoice: 'DUES-06' })]);
    const { faults } = await world.verdictOf(again);
    expect(faults.filter(({ code }) => code === 'CHARGED_BEFORE').map(({ line }) => line)).toEqual([13_001]);
  });

  it('may come again once it is certain that nothing was charged', async () => {
    const account = world.freshAccount();
    const declined = await world.take(account, 'hold', FIRST);
    await settle(declined, 'declined');
    expect(await world.verdictOf(await world.take(account, 'hold', FIRST.toReversed()))).toMatchObject({
      state: 'accepted',
      codes: [],
    });
  });

  it('may come again after the first was declined by a person, and not while it is held', async () => {
    const account = world.freshAccount();
    const held = await world.take(account, 'any', [...FIRST, FIRST[0]!]);
    const again = [FIRST[0]!, ...FIRST];
    const second = await world.take(account, 'any', again);
    expect(await world.verdictOf(second)).toMatchObject({ state: 'held', duplicateOf: held });
    for (const fileId of [held, second]) {
      await declineFile(world.app.ledger, fileId, { actor: 'operator:ada', reason: 'not ours' });
    }
    const third = await world.verdictOf(await world.take(account, 'any', again.toReversed()));
    expect(third).toMatchObject({ state: 'held', code: 'DUPLICATE_ROW', codes: ['DUPLICATE_ROW'] });
  });

  it.each(['approved', 'unknown'] as const)('are held when a row of the first is %s', async (outcome) => {
    const account = world.freshAccount();
    await settle(await world.take(account, 'any', FIRST), outcome);
    expect(await world.verdictOf(await world.take(account, 'any', FIRST.toReversed()))).toMatchObject({
      code: 'SAME_ROWS',
    });
  });
});

describe('as many rows and the same total', () => {
  const OTHERS = [achRow(11, { amount: '20.00' }), achRow(12, { amount: '25.00' }), achRow(13, { amount: '30.00' })];

  it.each([
    ['hold', 'held'],
    ['warn', 'accepted'],
    ['off', 'accepted'],
  ] as const)('on one day: the folder says %s', async (folder, state) => {
    const account = world.freshAccount();
    const first = await world.take(account, folder, FIRST);
    const verdict = await world.verdictOf(await world.take(account, folder, OTHERS));
    expect(verdict).toMatchObject({ state, codes: folder === 'off' ? [] : ['SAME_TOTALS'] });
    if (folder !== 'off') expect(verdict.faults[0]!.detail).toMatch(`3 rows with a total of 75.00, as in "file-`);
    if (folder !== 'off') expect(verdict.faults[0]!.detail).toContain(first);
    // Only the same rows make it a duplicate.
    expect(verdict.duplicateOf).toBeNull();
  });

  it.each([
    ['a row less of the same total', [achRow(11, { amount: '35.00' }), achRow(12, { amount: '40.00' })]],
    ['a cent more', OTHERS.with(0, achRow(11, { amount: '20.01' }))],
  ])('are not those with %s', async (_, rows) => {
    const account = world.freshAccount();
    await world.take(account, 'hold', FIRST);
    expect(await world.verdictOf(await world.take(account, 'hold', rows))).toMatchObject({
      state: 'accepted',
      codes: [],
    });
  });

  it('are not compared with those of another day, operation or account', async () => {
    const account = world.freshAccount();
    await world.age(await world.take(account, 'hold', FIRST), 1);
    const again = await world.take(account, 'hold', OTHERS);
    expect(await world.verdictOf(again)).toMatchObject({ state: 'accepted', codes: [] });
    const refunds = OTHERS.map((row) => row.replace(/,(\d+\.\d\d),/, ',-$1,'));
    expect(await world.verdictOf(await world.take(account, 'refund', refunds))).toMatchObject({ state: 'accepted' });
    expect(await world.verdictOf(await world.take(world.freshAccount(), 'hold', OTHERS))).toMatchObject({
      state: 'accepted',
    });
  });
});

describe('a row that may have been charged before', () => {
  const WITH_ONE_AGAIN = [achRow(21), achRow(2), achRow(22), achRow(23)];

  it.each([
    ['hold', 'held'],
    ['warn', 'accepted'],
    ['off', 'accepted'],
  ] as const)('is flagged with file and line: the folder says %s', async (folder, state) => {
    const account = world.freshAccount();
    const first = await world.take(account, folder, FIRST);
    const verdict = await world.verdictOf(await world.take(account, folder, WITH_ONE_AGAIN));
    const fault = { code: 'CHARGED_BEFORE', line: 2, detail: `line 2 of file ${first}` };
    expect(verdict).toMatchObject({ state, faults: folder === 'off' ? [] : [fault] });
    if (folder === 'hold') {
      expect(verdict.code).toBe('CHARGED_BEFORE');
      expect(verdict.reason).toContain(`(1 row): the first is line 2 of file ${first}`);
    }
  });

  it('is looked for so many days back as the folder says', async () => {
    for (const [days, state] of [
      [2, 'held'],
      [4, 'accepted'],
    ] as const) {
      const account = world.freshAccount();
      await world.age(await world.take(account, 'short', FIRST), days);
      expect(await world.verdictOf(await world.take(account, 'short', WITH_ONE_AGAIN))).toMatchObject({ state });
    }
  });

  it('is one by invoice, amount and payer together', async () => {
    const account = world.freshAccount();
    await world.take(account, 'hold', FIRST);
    const others = [
      achRow(2, { invoice: 'A-2b' }),
      achRow(2, { amount: '25.01' }),
      achRow(2, { account: '02100002100000000000000009' }),
    ];
    expect(await world.verdictOf(await world.take(account, 'hold', others))).toMatchObject({
      state: 'accepted',
      codes: [],
    });
  });

  it('passes when it was certainly not charged, as a row of a rejects file, and is held when it may have been', async () => {
    const account = world.freshAccount();
    await settle(await world.take(account, 'hold', FIRST), 'declined');
    expect(await world.verdictOf(await world.take(account, 'hold', WITH_ONE_AGAIN))).toMatchObject({
      state: 'accepted',
      codes: [],
    });
    const other = world.freshAccount();
    await settle(await world.take(other, 'hold', FIRST), 'unknown');
    expect(await world.verdictOf(await world.take(other, 'hold', WITH_ONE_AGAIN))).toMatchObject({
      code: 'CHARGED_BEFORE',
    });
  });

  it.each([
    ['when it came first', -400, 0],
    ['when it comes again', 0, 400],
  ])('is held where the clocks of host and database are wrong by 400 days %s', async (_, firstDays, againDays) => {
    const account = world.freshAccount();
    await takeAt(account, firstDays, FIRST);
    const again = await takeAt(account, againDays, WITH_ONE_AGAIN);
    expect(await world.verdictOf(again)).toMatchObject({ state: 'held', code: 'CHARGED_BEFORE' });
  });

  it('stands behind the duplicate in the reason, when the whole file came before', async () => {
    const account = world.freshAccount();
    await world.take(account, 'hold', FIRST);
    const { code, reason, codes } = await world.verdictOf(await world.take(account, 'hold', FIRST.toReversed()));
    expect(code).toBe('SAME_ROWS');
    expect(reason).toMatch(
      /; also .*an earlier file has the same invoice, amount and payer, and that row may have been charged$/,
    );
    expect(codes).toEqual(['CHARGED_BEFORE', 'SAME_ROWS']);
  });
});
