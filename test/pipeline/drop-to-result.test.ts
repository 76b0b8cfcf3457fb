import { beforeAll, describe, expect, it } from 'vitest';
import { compareBooks } from '../../src/cli/demo/compare-books.ts';
import { verifyAudit } from '../../src/ledger/overview/verify-audit.ts';
import { achRow, CARD, cardRow, codeRow, lines, MAGIC_CARD, upTo } from '../support/payment-rows.ts';
import { openPipelineWorld } from '../support/pipeline-world.ts';
import { openedForTests } from '../support/opened-for-tests.ts';

describe('a dropped file', () => {
  const MONDAY = [
    cardRow(1),
    cardRow(2, { card: MAGIC_CARD, amount: '2.00' }),
    ...upTo(20).map((n) => cardRow(100 + n)),
    cardRow(3, { amount: 'ten' }),
  ];
  /** Its invoice has more digits than its account, and its amount has as many as some accounts. */
  const SHORT_ACCOUNT = '202611230001,Ada,B,CHECKING,123456789,10000.00,x';
  /** Another card with the same ending as CARD. */
  const LIKE_IT = '4012888888862220';
  const world = openedForTests(() =>
    openPipelineWorld({
      settings: { batch: { maxRows: 10 } },
      folder: { unusualFactor: 0, routingCheck: false },
    }),
  );
  beforeAll(async () => {
    const { drop } = world;
    await drop('card', 'monday.csv', lines(MONDAY));
    await drop('ach-charge', 'june.csv', lines(upTo(35).map((n) => achRow(n))));
    await drop('card', 'card.csv', lines(upTo(3).map((n) => cardRow(200 + n))));
    await drop('card', 'codes.csv', lines(upTo(3).map((n) => codeRow(200 + n))));
    await drop('ach-charge', 'bank.csv', lines(upTo(3).map((n) => achRow(200 + n))));
    await drop('ach-charge', 'short.csv', lines([SHORT_ACCOUNT]));
    await drop('card', 'alike.csv', lines([CARD, LIKE_IT].map((card) => cardRow(1, { invoice: 'DUES', card }))));
    await drop('ach-refund', 'back.csv', lines(upTo(3).map((n) => achRow(300 + n, { amount: '-1205.00' }))));
    await drop('ach-refund', 'back-codes.csv', lines(upTo(3).map((n) => codeRow(300 + n, { amount: '-5.00' }))));
    await world.finish();
  });

  it('comes back with one line per row, in input order, with the outcome of each', async () => {
    const results = Object.entries(await world.outputs('result'));
    const [result = ''] = results.flatMap(([name, text]) => (name.startsWith('monday__') ? [text] : []));
    const table = result
      .trimEnd()
      .split('\r\n')
      .map((line) => line.split(','));
    expect(table.slice(1).map((cells) => cells[0])).toEqual(upTo(23).map(String));
    expect(table.slice(1).map((cells) => cells[2])).toEqual(MONDAY.map((row) => row.split(',')[1]));
    expect([1, 2, 3, 23].map((line) => table[line]?.[13])).toEqual(['APPROVED', 'DECLINED', 'APPROVED', 'INVALID']);
    expect(table[2]?.[14]).toBe('15');
    expect(result).not.toContain(MAGIC_CARD);
    const sent = MONDAY.slice(0, -1).map((row) => row.split(',')[1]);
    expect(booked().filter((invoice) => /^C-(?:\d|1\d\d)$/.test(invoice))).toEqual(sent);
    expect((await verifyAudit(world.app.ledger)).brokenAt).toBeUndefined();
  });

  it('is cut into batches of maxRows, sent one after the other', async () => {
    expect(await world.states()).toMatchObject({ 'june.csv': 'completed' });
    const june = world.sandbox.books().filter(({ invoice }) => /^A-\d\d?$/.test(invoice));
    const sizes = new Map<string, number>();
    for (const row of june) sizes.set(row.batchId, (sizes.get(row.batchId) ?? 0) + 1);
    expect([...sizes.values()]).toEqual([10, 10, 10, 5]);
    expect(june.map((row) => row.invoice)).toEqual(upTo(35).map((n) => `A-${n}`));
  });

  it('has no two rows in a batch that its result could confuse', () => {
    const alike = world.sandbox.books().filter(({ invoice }) => invoice === 'DUES');
    expect(alike.map(({ lastFour }) => lastFour)).toEqual(['2220', '2220']);
    expect(new Set(alike.map(({ batchId }) => batchId)).size).toBe(2);
  });

  it('goes its way in every folder beside the others', async () => {
    const states = Object.values(await world.states());
    expect(states).toEqual(states.map(() => 'completed'));
    expect(states).toHaveLength(9);
    expect(booked()).toHaveLength(22 + 35 + 18);
    expect(await compareBooks(world.app, world.sandbox.books())).toEqual([]);
  });

  it('shows money and invoices as they are, whatever number stands beside them', async () => {
    const textOf = async (kind: 'result' | 'ack', name: string) =>
      Object.entries(await world.outputs(kind)).find(([output]) => output.startsWith(`${name}__`))![1];
    const shown = SHORT_ACCOUNT.replace('123456789', '*****6789');
    expect(await textOf('result', 'short')).toContain(`\r\n1,${shown},ACCEPTED_PENDING,`);
    expect(await textOf('ack', 'back')).toContain('\r\nAccepted Total,-3615.00\r\n');
  });

  /** Returns the invoices in the order in which they were booked. */
  const booked = () => world.sandbox.books().map(({ invoice }) => invoice);
});
