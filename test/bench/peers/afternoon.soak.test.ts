import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cutBatches } from '../../../bench/peers/afternoon/cut-batches.ts';
import { readPayments } from '../../../bench/peers/afternoon/read-payments.ts';
import { writeResults } from '../../../bench/peers/afternoon/write-results.ts';

let dir: string;
beforeAll(async () => (dir = await mkdtemp(join(tmpdir(), 'paydrop-afternoon-'))));
afterAll(() => rm(dir, { recursive: true }));

const ROW = '06/15/2026,1001,Ada,Byron,1 Mill Lane,Troy,NY,12180,5.00,VISA,4222222222222220,12/35';

describe('readPayments', () => {
  it.each([
    ['a good row', ROW, 0],
    ['a month that is none', ROW.replace('12/35', '13/35'), 1],
    ['an expired card', ROW.replace('12/35', '01/20'), 1],
    ['three decimals', ROW.replace('5.00', '5.001'), 1],
    ['no amount', ROW.replace('5.00', '0.00'), 1],
    ['a number that fails the Luhn test', ROW.replace('2220', '2221'), 1],
    ['an unknown method', ROW.replace('VISA', 'VISO'), 1],
    ['no invoice', ROW.replace('1001', ''), 1],
  ])('%s', (_, row, invalid) => {
    expect(readPayments(`${row}\n`).invalid).toHaveLength(invalid);
  });

  it('takes commas out of texts, at which the service would cut', () => {
    const { payments } = readPayments(ROW.replace('Byron', '"Byron, Lady"'));
    expect(payments[0]?.lastName).toBe('Byron Lady');
  });
});

describe('cutBatches', () => {
  it('puts every row into one batch, encoded', () => {
    const { payments } = readPayments(`${ROW}\n`.repeat(5));
    const batches = cutBatches(payments, 2);
    expect(batches.map(({ rows }) => rows.length)).toEqual([2, 2, 1]);
    expect(Buffer.from(batches[2]!.body, 'base64').toString()).toBe(`${ROW}\n`);
  });
});

describe('writeResults', () => {
  it('finds the message of each payment, and masks its number', async () => {
    const { payments, invalid } = readPayments(`${ROW}\n${ROW.replace('VISA', 'VISO')}\n`);
    const path = join(dir, 'monday');
    await writeResults(path, payments, invalid, [{ invoice: '1001', amount: '5.00', message: 'REJECT: 15' }]);
    const [, line] = (await readFile(`${path}.result.csv`, 'utf8')).split('\n');
    expect(line).toContain('************2220,12/35,declined,REJECT: 15');
    expect((await readFile(`${path}.rejects.csv`, 'utf8')).split('\n')[1]).toMatch(/^2,/);
  });

  it('stops when a payment comes back with another amount', async () => {
    const { payments } = readPayments(ROW);
    const other = [{ invoice: '1001', amount: '6.00', message: 'OK' }];
    await expect(writeResults(join(dir, 'x'), payments, [], other)).rejects.toThrow('another amount');
  });
});
