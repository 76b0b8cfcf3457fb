import { basename } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FileSummary, fileSummaryTable, readFileSummaries } from '../../../src/cli/process/run.ts';
import { cardRow, lines, MAGIC_CARD, upTo } from '../../support/payment-rows.ts';
import { type CliWorld, openCliWorld } from '../support/cli-world.ts';

let world: CliWorld;
beforeAll(async () => {
  world = await openCliWorld({ folder: { badRows: { maxPercent: 50 } } });
  const rows = [
    ...upTo(3).map((n) => cardRow(n)),
    cardRow(4, { amount: 'ten' }),
    cardRow(5, { card: MAGIC_CARD, amount: '2.00' }),
  ];
  await world.drop('card', 'monday.csv', lines(rows));
  await world.drop('card', 'empty.csv', '');
  await world.finish();
});
afterAll(() => world.close());

function read(since: Date): Promise<FileSummary[]> {
  return readFileSummaries(world.app.ledger, since, '/out');
}

describe('readFileSummaries', () => {
  it('says what became of each file, money in cents', async () => {
    const files = await read(new Date(0));
    const monday = files.find((file) => file.name === 'monday.csv');
    expect(monday).toMatchObject({
      account: 'main',
      operation: 'card',
      state: 'completed',
      reasonCode: null,
      rows: 5,
      validCents: 7_700,
      outcomes: {
        approved: { rows: 3, cents: 7_500 },
        declined: { rows: 1, cents: 200 },
        invalid: { rows: 1, cents: 0 },
      },
    });
    expect(monday?.outputs.map((path) => path.replace(monday.fileId.slice(0, 8), 'ID'))).toContain(
      '/out/monday__ID.result.csv',
    );
    const empty = files.find((file) => file.name === 'empty.csv');
    expect(empty).toMatchObject({ state: 'rejected', reasonCode: 'EMPTY', rows: 0, validCents: 0, outcomes: {} });
    expect(empty?.outputs.map((path) => basename(path))).toEqual([expect.stringMatching(/^empty__.*\.nak\.csv$/)]);
  });

  it('leaves out what came to rest before', async () => {
    expect(await read(new Date(Date.now() + 1_000))).toEqual([]);
  });
});

describe('fileSummaryTable', () => {
  it('has a line for each file, with outcomes or the reason why nothing was sent', async () => {
    const lines = fileSummaryTable(await read(new Date(0))).split('\n');
    expect(lines).toHaveLength(4);
    expect(lines.find((line) => line.startsWith('monday.csv'))).toMatch(
      /^monday\.csv +main +card +completed +5 +3 approved, 1 declined, 1 invalid +77\.00$/,
    );
    expect(lines.find((line) => line.startsWith('empty.csv'))).toMatch(
      /rejected +0 +nothing sent: the file has no bytes \(EMPTY\) +0\.00$/,
    );
  });

  it('does not say of a batch in doubt that it was not sent', async () => {
    await world.forceState('batch', 'unknown');
    const monday = (await read(new Date(0))).find((file) => file.name === 'monday.csv')!;
    expect(monday.open).toEqual({ rows: 4, cents: 7_700 });
    const table = fileSummaryTable([{ ...monday, outcomes: {}, state: 'in_progress' }]);
    expect(table).toMatch(/in_progress +5 +4 without outcome yet +77\.00$/);
  });
});
