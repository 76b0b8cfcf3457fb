import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { type CliWorld, openCliWorld } from '../support/cli-world.ts';

let world: CliWorld;
beforeAll(async () => {
  world = await openCliWorld({ account: { timeZone: 'America/Toronto' } });
  await world.drop('card', 'june.csv', lines([cardRow(1), cardRow(2)]));
  await world.drop('card', 'held.csv.ctl', 'rows=99\n');
  await world.drop('card', 'held.csv', lines([cardRow(7)]));
  await world.finish();
});
afterAll(() => world.close());

describe('why', () => {
  it('tells a file in plain sentences, with times in the zone of its account', async () => {
    const { status, out, err } = await world.paydrop('why', 'june.csv');
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(out).toMatch(/^Why: june\.csv \(file .{16}\)\n/);
    expect(out).toMatch(/\d\d:\d\d:\d\d -0[45]:00 {2}june\.csv was taken from drop\/card for account main: \d+ bytes/);
    expect(out).toMatch(/Every check passed: 2 rows with a total of 50\.00/);
    expect(out).toContain('Outcomes: 2 rows APPROVED (charged or refunded), 50.00.');
    expect(out).toMatch(/What to do next\n {2}Nothing is to be done\.\n$/);
  });

  it('says of a held file what to do', async () => {
    const { out } = await world.paydrop('why', 'held.csv');
    expect(out).toContain(
      'It was held for a person: the control file does not agree with the payment file: it says 99 rows',
    );
    expect(out).toMatch(/"paydrop approve .{16} --reason …" or "paydrop decline/);
  });

  it('tells a batch with its attempt and what the service said, and an invoice by its row', async () => {
    const batch = (await world.paydrop('why', 'june.csv/1')).out;
    expect(batch).toMatch(/Attempt 1 begins: \d+ bytes to 127\.0\.0\.1:\d+\. From here on the service may have it\./);
    expect(batch).toMatch(/The service gave it batch id \d+/);
    const invoice = (await world.paydrop('why', 'C-2')).out;
    expect(invoice).toMatch(/^Why: invoice C-2, line 2 of batch 1 of june\.csv/);
    expect(invoice).toContain('The row: 25.00, …2220, APPROVED (charged or refunded): OK');
  });

  it('is a list of stories as JSON', async () => {
    expect(JSON.parse((await world.paydrop('why', 'C-1', '--json')).out)).toEqual([
      {
        about: expect.stringContaining('invoice C-1'),
        timeZone: 'America/Toronto',
        story: expect.arrayContaining([{ at: expect.any(String), text: expect.any(String) }]),
        now: expect.any(Array),
        next: ['Nothing is to be done.'],
      },
    ]);
  });

  it('says when nothing of that name is known', async () => {
    const { status, out, err } = await world.paydrop('why', 'nobody');
    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(err).toContain('Cannot find a file "nobody"');
  });
});
