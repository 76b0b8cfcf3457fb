import { beforeAll, describe, expect, it } from 'vitest';
import { ERRORS } from '../../schemas/errors.ts';
import { compareBooks } from '../../src/cli/demo/compare-books.ts';
import { approveFile, declineFile } from '../../src/ledger/file/release-held.ts';
import { shortId } from '../../src/kernel/ids.ts';
import { fileNamed, goodRows, readNotice, readOriginal, sayingOf } from '../support/bad-input.ts';
import { achRow, cardRow, codeRow, lines, MAGIC_CARD } from '../support/payment-rows.ts';
import { openPipelineWorld } from '../support/pipeline-world.ts';
import { openedForTests } from '../support/opened-for-tests.ts';

/** Files that come again in one way or another, from the drop to what the service booked. */

const because = { actor: 'operator:ada', reason: 'the sender was asked' };
const MONDAY = [cardRow(1), cardRow(2), cardRow(3, { card: MAGIC_CARD, amount: '2.00' })];

const world = openedForTests(() => openPipelineWorld({ folder: { clearNumbers: true, unusualFactor: 0 } }));
beforeAll(async () => {
  await world.drop('card', 'monday.csv', lines(MONDAY));
  await world.finish();
});

function booked(): string[] {
  return world.sandbox
    .books()
    .map((row) => row.invoice)
    .toSorted();
}

describe('the same rows in other bytes', () => {
  it('are held, and the notice names the first file and every row', async () => {
    await world.drop('card', 'tuesday.csv', lines(MONDAY.toReversed(), '\r\n'));
    await world.finish();
    const [first, again] = [await fileNamed(world, 'monday.csv'), await fileNamed(world, 'tuesday.csv')];
    expect(again).toMatchObject({ state: 'held', reason_code: 'SAME_ROWS', duplicate_of: first.file_id });
    const { head, faults } = await readNotice(world, again, 'held');
    expect(head).toMatchObject({ Status: 'HELD', Code: 'SAME_ROWS' });
    expect(head['Reason']).toContain(`"monday.csv" (file ${first.file_id})`);
    // The third row of monday.csv was declined, so it may come again.
    expect(faults.map(({ code, line }) => `${code} ${line}`)).toEqual([
      'CHARGED_BEFORE 2',
      'CHARGED_BEFORE 3',
      'SAME_ROWS ',
    ]);
    expect(faults[0]).toMatchObject({ ...sayingOf('CHARGED_BEFORE') });
    expect(faults[0]!.reason).toBe(`${ERRORS.CHARGED_BEFORE.means}: line 2 of file ${first.file_id}`);
    expect(booked()).toEqual(['C-1', 'C-2', 'C-3']);
  });

  it('are charged once more only when a person wants it', async () => {
    const { file_id: fileId } = await fileNamed(world, 'tuesday.csv');
    await approveFile(world.app.ledger, fileId, because);
    await world.finish();
    expect(await world.states()).toMatchObject({ 'tuesday.csv': 'completed' });
    expect(booked()).toEqual(['C-1', 'C-1', 'C-2', 'C-2', 'C-3', 'C-3']);
  });
});

describe('the rejects file, dropped again', () => {
  it('passes, because its rows were certainly not charged', async () => {
    const rejects = Object.entries(await world.outputs('rejects')).find(([name]) => name.startsWith('monday'))!;
    expect(rejects[1]).toContain('C-3');
    await world.drop('card', 'corrected.csv', rejects[1].replace('2.00', '1.00'));
    await world.drop('card', 'as-it-is.csv', rejects[1]);
    await world.finish();
    expect(await world.states()).toMatchObject({ 'corrected.csv': 'completed', 'as-it-is.csv': 'completed' });
  });

  it('is held when a row of it was charged in the meantime', async () => {
    const row = cardRow(3, { card: MAGIC_CARD, amount: '1.00' });
    await world.drop('card', 'once-more.csv', lines([row, cardRow(4)]));
    await world.finish();
    expect(await fileNamed(world, 'once-more.csv')).toMatchObject({ state: 'held', reason_code: 'CHARGED_BEFORE' });
    const { file_id: fileId } = await fileNamed(world, 'once-more.csv');
    await declineFile(world.app.ledger, fileId, because);
    await world.drop('card', 'without.csv', lines([cardRow(4)]));
    await world.finish();
    expect(await world.states()).toMatchObject({ 'once-more.csv': 'cancelled', 'without.csv': 'completed' });
    expect(await compareBooks(world.app, world.sandbox.books())).toEqual([]);
  });
});

describe('payments that are written in another way', () => {
  const account = `021000021${'40000001'.padStart(17, '0')}`;
  /** test/crypto/fingerprints/loosen.test.ts knows the other ways. */
  const FIRST = [cardRow(1, { invoice: 'DUP-00001' }), cardRow(8, { invoice: '\u00c9t\u00e9-8' })];
  const AGAIN: readonly [string, string, string[]][] = [
    ['in case and zeros', 'card', [cardRow(1, { invoice: 'dup-1' })]],
    ['in another character set', 'card', [cardRow(8, { invoice: '\u00c3\u2030t\u00c3\u00a9-8' })]],
    ['by a customer code', 'card', [codeRow(1, { invoice: 'DUP-00001' })]],
    ['by a bank account', 'ach-charge', [achRow(1, { invoice: 'dup 1' })]],
    ['from an account without its zeros', 'ach-charge', [achRow(5, { invoice: 'p1', account: '02100002140000001' })]],
  ];

  it('are held, each with its row, until a person wants it', async () => {
    await world.drop('card', 'first.csv', lines(FIRST));
    await world.drop('ach-charge', 'padded.csv', lines([achRow(5, { invoice: 'P-1', account })]));
    await world.finish();
    const before = booked();
    await world.drop('card', 'others.csv', lines([cardRow(1, { invoice: 'DUP-00001', amount: '26.00' })]));
    await world.drop(
      'card',
      'another payer.csv',
      lines([cardRow(1, { invoice: 'DUP-00001', card: '4012888888881881' })]),
    );
    await world.finish();
    // Only then: beside one of these that is held, another payer would be held too.
    for (const [what, folder, rows] of AGAIN) await world.drop(folder, `${what}.csv`, lines(rows));
    await world.finish();
    for (const [what] of AGAIN) {
      const file = await fileNamed(world, `${what}.csv`);
      expect(file, what).toMatchObject({ state: 'held', reason_code: 'LIKE_CHARGED' });
      const { faults } = await readNotice(world, file, 'held');
      expect(faults).toContainEqual(expect.objectContaining({ line: '1', ...sayingOf('LIKE_CHARGED') }));
    }
    expect(await world.states()).toMatchObject({ 'others.csv': 'completed', 'another payer.csv': 'completed' });
    expect(booked()).toEqual([...before, 'DUP-00001', 'DUP-00001'].toSorted());
  });
});

describe('rows of one file that are written in another way', () => {
  it('hold it, each named with the first of them', async () => {
    const before = booked();
    const rows = ['ONE-01', 'two', 'one 1', 'TWO'].map((invoice) => codeRow(77, { invoice }));
    await world.drop('card', 'alike.csv', lines(rows));
    await world.finish();
    const file = await fileNamed(world, 'alike.csv');
    expect(file).toMatchObject({ state: 'held', reason_code: 'LIKE_ROW' });
    const { faults } = await readNotice(world, file, 'held');
    const named = faults.filter(({ code }) => code === 'LIKE_ROW').map(({ line, reason }) => [line, reason]);
    expect(named).toEqual([
      ['3', `${ERRORS.LIKE_ROW.means}: line 1 of this file`],
      ['4', `${ERRORS.LIKE_ROW.means}: line 2 of this file`],
    ]);
    expect(booked()).toEqual(before);
  });
});

describe('a file that came before', () => {
  /** Files of one day, some of which come again on the next; each test has files of its own. */
  const BAD = `${goodRows(40)}a,b\n`;

  const world = openedForTests(() => openPipelineWorld({ folder: { unusualFactor: 0 } }));
  beforeAll(async () => {
    await world.drop('card', 'here.csv', goodRows(1));
    await world.drop('card', 'elsewhere.csv', goodRows(10));
    for (const name of ['a.csv', 'b.csv', 'c.csv']) await world.drop('card', name, goodRows(30));
    await world.drop('card', 'bad.csv', BAD);
    await world.drop('card', 'dues.csv', goodRows(50));
    await world.finish();

    await world.drop('card', 'here-again.csv', goodRows(1));
    await world.drop('ach-charge', 'elsewhere-again.csv', goodRows(10));
    await world.drop('card', 'bad-again.csv', BAD);
    await world.drop('card', 'dues.csv', lines([codeRow(900)]));
    await world.drop('card', 'beside.csv', goodRows(60));
    await world.finish();
  });

  /** Counts the booked rows of `goodRows(n)`. */
  function booked(n: number): number {
    return world.sandbox.books().filter(({ invoice }) => invoice.startsWith(`G${n}-`)).length;
  }

  describe('the same bytes under another name', () => {
    it.each([
      ['in the same folder', 'here', 1],
      ['in another folder of the account', 'elsewhere', 10],
    ])('%s are refused with the name of the first', async (_, name, n) => {
      expect(await world.states()).toMatchObject({
        [`${name}.csv`]: 'completed',
        [`${name}-again.csv`]: 'rejected',
        'beside.csv': 'completed',
      });
      const [first, again] = [await fileNamed(world, `${name}.csv`), await fileNamed(world, `${name}-again.csv`)];
      const reason = `${ERRORS.DUPLICATE_FILE.means}: they were in "${name}.csv" (file ${first.file_id}), which is completed`;
      const { head, faults } = await readNotice(world, again, 'nak');
      expect(head).toMatchObject({ Status: 'REJECTED', Code: 'DUPLICATE_FILE', Reason: reason });
      expect(faults).toEqual([{ line: '', value: '', reason, ...sayingOf('DUPLICATE_FILE') }]);
      expect(again.duplicate_of).toBe(first.file_id);
      expect((await readOriginal(world, again)).toString()).toBe(goodRows(n));
      expect(booked(n)).toBe(3);
      expect(booked(60)).toBe(3);
    });

    it('are refused too when the two come at once', async () => {
      const states = await world.states();
      expect(['a.csv', 'b.csv', 'c.csv'].map((name) => states[name]).toSorted()).toEqual([
        'completed',
        'rejected',
        'rejected',
      ]);
      expect(booked(30)).toBe(3);
    });

    it('may come again after they were refused', async () => {
      const { head } = await readNotice(world, await fileNamed(world, 'bad-again.csv'), 'nak');
      expect(head['Code']).toBe('COLUMN_COUNT');
    });
  });

  describe('the same name with other bytes', () => {
    it('is taken, and the acknowledgement says so', async () => {
      const { rows } = await world.app.ledger.pool.query<{ state: string; id: string }>(
        `SELECT state, file_id AS id FROM file WHERE name = 'dues.csv' ORDER BY file_no`,
      );
      expect(rows.map((row) => row.state)).toEqual(['completed', 'completed']);
      const acks = Object.entries(await world.outputs('ack'));
      expect(acks.filter(([name]) => name.startsWith('dues__'))).toHaveLength(2);
      const flagged = acks.filter(([, text]) => text.includes('NAME_SEEN_BEFORE'));
      expect(flagged.map(([name]) => name)).toEqual([expect.stringContaining(`__${shortId(rows[1]!.id)}.`)]);
      expect(flagged[0]![1]).toContain('Status,ACCEPTED');
      expect(flagged[0]![1]).toContain(ERRORS.NAME_SEEN_BEFORE.remedy);
      expect(booked(50)).toBe(3);
      expect(world.sandbox.books().filter(({ invoice }) => invoice === 'K-900')).toHaveLength(1);
      expect(world.sandbox.books()).toHaveLength(5 * 3 + 1);
    });
  });
});
