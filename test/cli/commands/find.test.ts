import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cardRow, codeRow, lines } from '../../support/payment-rows.ts';
import { type CliWorld, openCliWorld } from '../support/cli-world.ts';

let world: CliWorld;
beforeAll(async () => {
  world = await openCliWorld({ folder: { badRows: { maxPercent: 60 } } });
  await world.drop('card', 'monday.csv', lines([cardRow(1), cardRow(2, { invoice: 'C-1', amount: 'ten' })]));
  await world.drop('card', 'held.csv.ctl', 'rows=99\n');
  await world.drop('card', 'held.csv', lines([7, 8].map((n) => codeRow(n, { invoice: 'C-1', amount: '26.00' }))));
  await world.drop('card', 'broken.csv', lines([cardRow(3, { invoice: 'C-3' }), 'one,cell,less']));
  await world.finish();
});
afterAll(() => world.close());

describe('find', () => {
  it('lists every row that ever came with the invoice, and where it stands', async () => {
    const { status, out, err } = await world.paydrop('find', '--invoice', 'C-1');
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(out).toMatch(/monday\.csv +1 +25\.00 +…2220 +APPROVED/);
    expect(out).toMatch(/monday\.csv +2 +unreadable +INVALID +the amount is not a plain decimal \(AMOUNT_FORMAT\)/);
    expect(out.match(/held\.csv +\d +26\.00 +A1000000[78] +/g)).toHaveLength(2);
  });

  it('is not alone in saying that a row was withheld: status, why and the summary say so, too', async () => {
    const [status, why] = [await world.paydrop('status'), await world.paydrop('why', 'monday.csv')];
    expect(status.out).toMatch(
      /Withheld and not paid, last 7 days\n.*\n.*\nmain .*monday\.csv .* 1 +1 amount unreadable\n/,
    );
    const said = '1 row was withheld and not paid: 1 amount unreadable';
    expect(why.out).toContain(`${said}. Correct its .rejects.csv and drop it`);
    expect(why.out).not.toContain('Nothing is to be done');
    const { rows } = await world.app.ledger.pool.query(
      `SELECT output.name FROM output JOIN file USING (file_id) WHERE file.name = 'monday.csv' AND kind = 'summary-txt'`,
    );
    const summary = await readFile(join(world.app.settings.paths.out, rows[0].name), 'utf8');
    expect(summary).toContain(`Open items\n${said}; correct the rejects file and drop it\n`);
  });

  it('says of a row in a refused file that its file was refused', async () => {
    expect((await world.paydrop('find', '--invoice', 'C-3')).out).toMatch(
      /broken\.csv +1 +25\.00 +…2220 +file rejected/,
    );
  });

  it('says when there is none', async () => {
    expect(await world.paydrop('find', '--invoice', 'C-99')).toEqual({
      status: 0,
      out: 'No file had this invoice.\n',
      err: '',
    });
  });

  it('is one JSON value on request, also when there is none', async () => {
    const found = JSON.parse((await world.paydrop('find', '--invoice', 'C-1', '--json')).out) as unknown[];
    expect(found).toHaveLength(4);
    expect(found).toContainEqual(
      expect.objectContaining({ name: 'monday.csv', line: 1, amountCents: 2_500, outcome: 'approved' }),
    );
    expect(JSON.parse((await world.paydrop('find', '--invoice', 'C-99', '--json')).out)).toEqual([]);
  });
});
