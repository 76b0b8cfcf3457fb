import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dayInZone } from '../../../src/calendar/zone-time.ts';
import { cardRow, lines, upTo } from '../../support/payment-rows.ts';
import { type CliWorld, openCliWorld } from '../support/cli-world.ts';

let world: CliWorld;
let day = '';
beforeAll(async () => {
  world = await openCliWorld();
  await world.drop('card', 'monday.csv', lines([...upTo(2).map((n) => cardRow(n)), cardRow(3, { amount: '2500.00' })]));
  await world.finish();
  const { rows } = await world.app.ledger.pool.query<{ at: Date }>('SELECT accepted_at AS at FROM file');
  day = dayInZone(rows[0]!.at, 'UTC');
});
afterAll(() => world.close());

describe('report', () => {
  it('balances the day of each account', async () => {
    const { status, out, err } = await world.paydrop('report', '--day', day);
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(out).toContain(`Account main, ${day} (UTC)`);
    expect(out).toMatch(/Accepted, 1 file +3 +2550\.00/);
    expect(out).toMatch(/Difference +0 +0\.00/);
    expect(out).toContain('Nothing is open.');
  });

  it('is one JSON value, or CSV, on request', async () => {
    for (const words of [['--json'], ['--format', 'json']]) {
      const [report] = JSON.parse((await world.paydrop('report', '--day', day, ...words)).out);
      expect(report).toMatchObject({ account: 'main', accepted: { rows: 3 }, difference: { rows: 0, total: '0.00' } });
    }
    const { out } = await world.paydrop('report', '--day', day, '--format', 'csv', '--account', 'main');
    const rows = out.trimEnd().split('\r\n');
    expect(rows[0]).toBe('Day,Account,Kind,Item,Rows,Total');
    expect(rows).toContain(`${day},main,FINAL,APPROVED,2,50.00`);
    expect(rows).toContain(`${day},main,DIFFERENCE,,0,0.00`);
  });

  it('writes a file, and never over another', async () => {
    const path = join(world.root, 'day.csv');
    const { status, out } = await world.paydrop('report', '--day', day, '--format', 'csv', '--out', path);
    expect({ status, out }).toEqual({ status: 0, out: '' });
    expect(await readFile(path, 'utf8')).toContain('BROUGHT_FORWARD');
    const { status: again, err } = await world.paydrop('report', '--day', day, '--out', path);
    expect(again).not.toBe(0);
    expect(err).toContain('exists with other content');
    expect(await readFile(path, 'utf8')).toContain('BROUGHT_FORWARD');
  });

  it('is today when no day is given, empty for a day on which nothing was', async () => {
    expect((await world.paydrop('report')).out).toContain('Account main, ');
    const { status, out } = await world.paydrop('report', '--day', '2001-02-03');
    expect(status).toBe(0);
    expect(out).toMatch(/Accepted, 0 files +0 +0\.00/);
  });

  it.each([
    ['a day that is none', ['--day', '2026-02-30'], /it is no day in UTC/],
    ['a format that is none', ['--format', 'pdf'], /none of text, json and csv/],
    ['an account that is none', ['--account', 'nobody'], /Accounts: main\./],
  ])('%s: status 1 and a sentence', async (_what, words, sentence) => {
    const { status, out, err } = await world.paydrop('report', ...words);
    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(err).toMatch(sentence);
  });

  it('says a difference with 5', async () => {
    await world.app.ledger.pool.query('UPDATE batch_outcome SET cents = cents - 1 WHERE rows = 2');
    const { status, out } = await world.paydrop('report', '--day', day);
    expect(status).toBe(5);
    expect(out).toMatch(/Difference +0 +0\.01/);
  });
});
