import { beforeAll, describe, expect, it } from 'vitest';
import { CARD, cardRow, lines, MAGIC_CARD } from '../../support/payment-rows.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { openCliWorld } from '../support/cli-world.ts';

const world = openedForTests(() =>
  openCliWorld({
    folder: { sameTotals: 'off' },
    settings: { reprocess: { secondPersonAbove: { payments: 2, money: 1_000 } } },
  }),
);
const WHY = ['--reason', 'the line to the bank is up again'];

beforeAll(async () => {
  const declined = (n: number) => cardRow(n, { card: MAGIC_CARD, amount: '2.00' });
  await world.drop('card', 'monday.csv', lines([declined(1), cardRow(2)]));
  await world.drop('card', 'tuesday.csv', lines([declined(3), cardRow(4, { card: CARD })]));
  await world.drop('card', 'wednesday.csv', lines([declined(5), declined(6), declined(7)]));
  await world.finish();
});

async function json<Shape>(...words: string[]): Promise<Shape> {
  const { out, err } = await world.paydrop(...words, '--json');
  expect(err).toBe('');
  return JSON.parse(out) as Shape;
}

/** Selects these payments. @returns the number of the selection */
async function select(...names: readonly string[]): Promise<string> {
  const { rows } = await world.app.ledger.pool.query<{ item: string }>(
    `SELECT f.file_id || '/' || r.line AS item FROM file f JOIN row_outcome r USING (file_no)
     WHERE f.name = ANY ($1) AND r.outcome = 'declined' ORDER BY f.file_no, r.line`,
    [names],
  );
  const { out } = await world.paydrop('reprocess', 'select', '--items', rows.map(({ item }) => item).join(','));
  return /paydrop reprocess run (\d+)/.exec(out)![1]!;
}

describe('reprocess', () => {
  it('says that nothing was selected', async () => {
    expect(await world.paydrop('reprocess', 'list')).toEqual({
      status: 0,
      out: 'Nothing was selected yet.\n',
      err: '',
    });
  });

  it.each([
    [['select', '--advice', 'soon'], 'is no advice'],
    [['select', '--items', 'monday.csv'], 'is no choice'],
    [['run', 'monday', ...WHY], 'is not the number of a selection'],
    [['run', '4711', ...WHY], 'selection 4711'],
    [['run', '1'], 'reason'],
  ])('refuses %j', async (words, says) => {
    const { status, out, err } = await world.paydrop('reprocess', ...words);
    expect({ isRefused: status > 0, out }).toEqual({ isRefused: true, out: '' });
    expect(err).toContain(says);
  });

  it('shows what would go, and does it file by file, once', async () => {
    const no = await select('monday.csv', 'tuesday.csv');
    const planned = await world.paydrop('reprocess', 'run', no, '--plan');
    expect(planned.out).toContain('Sends 2 rows, 4.00 USD of account main of 2 files again in as many new files');
    expect(planned.out).toContain('nothing was changed');
    const ran = await world.paydrop('reprocess', 'run', no, ...WHY, '--name', 'Declines of June');
    expect(ran).toMatchObject({ status: 0, err: '' });
    await world.finish();
    const { selection, items } = await json<{ selection: object; items: object[] }>('reprocess', 'show', no);
    expect(selection).toMatchObject({ state: 'ended', name: 'Declines of June', reason: WHY[1] });
    expect(items).toEqual(
      ['tuesday.csv', 'monday.csv'].map((name) =>
        expect.objectContaining({ name, lines: [1], result: 'done', newFileId: expect.any(String) }),
      ),
    );
    expect(Object.keys(await world.states()).filter((name) => name.includes('-again-'))).toHaveLength(2);
    const shown = await world.paydrop('reprocess', 'show', no);
    expect(shown.out).toContain('Declines of June: the line to the bank is up again');
    expect((await world.paydrop('reprocess', 'list')).out).toMatch(/Declines of June +done +2 +2 +0/);
  });

  it('is a proposal when it is much, and can be stopped', async () => {
    const no = await select('wednesday.csv');
    const proposed = await world.paydrop('reprocess', 'run', no, ...WHY);
    expect(proposed).toMatchObject({ status: 3, err: '' });
    expect(proposed.out).toContain('Another person must confirm it');
    expect(await json('proposals')).toMatchObject([{ action: 'reprocess', run_no: Number(no), rows: 3, cents: 600 }]);
    expect(await world.paydrop('reprocess', 'stop', no)).toMatchObject({ status: 5, out: '' });
  });

  it('takes everything of an account with an advice', async () => {
    const { status, err } = await world.paydrop('reprocess', 'select', '--account', 'main', '--advice', 'later');
    expect([status, err]).toEqual([5, expect.stringContaining('there are none that may go again')]);
  });
});
