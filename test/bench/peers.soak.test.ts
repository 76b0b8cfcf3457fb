import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createReadStream } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cutBatches, readPayments, writeResults } from '../../bench/peers/afternoon/read-payments.ts';
import { Config } from '../../schemas/config.ts';
import { checkPaymentFile } from '../../src/csv/check/check-payment-file.ts';
import { resolveSettings } from '../../src/config/config.ts';
import { type CardFileShape, cardRows, ORDINARY, writeCardFile } from '../../bench/files/card-file.ts';
import { plainConfig } from '../../bench/world/plain-config.ts';
import {
  describeFallen,
  guardRatios,
  judgeRatios,
  quickRatios,
  readCommittedRatios,
} from '../../bench/guard/guard-ratios.ts';
import type { Measurement } from '../../bench/measure/record.ts';
import { measured } from './support/measured.ts';

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

const linesOf = (shape: CardFileShape) => [...cardRows(shape)].map(({ line }) => line);

describe('cardRows', () => {
  it('gives the same rows for the same seed, and no invoice twice for others', () => {
    const one = linesOf({ ...ORDINARY, rows: 50, seed: 1 });
    expect(linesOf({ ...ORDINARY, rows: 50, seed: 1 })).toEqual(one);
    const invoices = [...one, ...linesOf({ ...ORDINARY, rows: 50, seed: 2 })].map((line) => line.split(',')[1]);
    expect(new Set(invoices).size).toBe(100);
  });

  it('keeps to the shares that were asked for', () => {
    const rows = [...cardRows({ ...ORDINARY, rows: 20_000 })];
    const quoted = rows.filter(({ line }) => line.includes('"')).length;
    const invalid = rows.filter(({ isInvalid }) => isInvalid).length;
    expect(quoted).toBeGreaterThan(1_800);
    expect(quoted).toBeLessThan(2_200);
    expect(invalid).toBeGreaterThan(150);
    expect(invalid).toBeLessThan(250);
  });

  it('puts quotes around all fields on demand', () => {
    const [line = ''] = linesOf({ ...ORDINARY, rows: 1, quotesAll: true });
    expect(line.match(/"[^"]*"/g)).toHaveLength(12);
  });
});

const SHAPES: readonly (readonly [string, Partial<CardFileShape>])[] = [
  ['ordinary', {}],
  ['nothing quoted', { quoted: 0 }],
  ['half of the rows invalid', { invalid: 0.5 }],
  ['every field quoted', { quotesAll: true }],
];

describe('writeCardFile', () => {
  it.each(SHAPES)(
    '%s: paydrop and the afternoon script find the rows invalid that are meant to be',
    async (_, shape) => {
      const made = await writeCardFile(join(dir, 'made.csv'), { ...ORDINARY, rows: 3_000, ...shape });
      const text = await readFile(made.path, 'utf8');
      expect(text.split('\n')).toHaveLength(made.rows + 1);
      const check = await checkWhole(made.path);
      expect([check.records, check.invalid.rows]).toEqual([3_000, made.invalid]);
      const script = readPayments(text);
      expect([script.payments.length, script.invalid.length]).toEqual([3_000 - made.invalid, made.invalid]);
    },
  );
});

const NAME = 'validation against bare csv-parse';

/** Returns a quick run in which the check was this many times as fast as csv-parse. */
function runWith(timesAsFast: number): Measurement[] {
  return [measured({ subject: 'csv-parse' }, [timesAsFast]), measured({ subject: 'paydrop' }, [1])];
}

describe('guardRatios', () => {
  it('measures nothing again when all is well', async () => {
    let again = 0;
    const fallen = await guardRatios(runWith(9), { [NAME]: 10 }, async () => {
      again += 1;
      return [];
    });
    expect([fallen, again]).toEqual([[], 0]);
  });

  it('forgives what fell once', async () => {
    expect(await guardRatios(runWith(3), { [NAME]: 10 }, async () => runWith(9))).toEqual([]);
  });

  it('names what fell twice', async () => {
    const [sentence] = await guardRatios(runWith(3), { [NAME]: 10 }, async () => runWith(2));
    expect(sentence).toContain(`${NAME} fell by 70 %`);
  });
});

describe('judgeRatios', () => {
  it.each([
    ['as it was', 10, []],
    ['faster', 15, []],
    ['a little slower, as machines are', 7.1, []],
    ['slower by more than that', 6.9, ['validation']],
  ])('%s', (_, measured, fallen) => {
    expect(judgeRatios({ validation: measured }, { validation: 10 }).map(({ name }) => name)).toEqual(fallen);
  });

  it('does not judge what was not measured, or what is new', () => {
    expect(judgeRatios({ fresh: 1 }, { validation: 10 })).toEqual([]);
  });

  it('says which fell and by how much', () => {
    const [fallen] = judgeRatios({ validation: 4 }, { validation: 10 });
    expect(describeFallen(fallen!)).toBe('validation fell by 60 %: it was 10.00 times as fast and is 4.00');
  });
});

const WHOLE = [
  measured({ part: 'validate', subject: 'csv-parse' }, [8]),
  measured({ part: 'validate', subject: 'floor' }, [0.5]),
  measured({ part: 'validate', subject: 'paydrop' }, [1]),
  measured({ part: 'stations', subject: 'afternoon script' }, [6]),
  measured({ part: 'stations', subject: 'paydrop' }, [9], { intakeSeconds: [3] }),
  measured({ part: 'import-profile', condition: 'in the layout' }, [5], { intakeSeconds: [3] }),
  measured({ part: 'import-profile', condition: 'by an import profile' }, [6], { intakeSeconds: [4] }),
  measured({ part: 'drop-to-result', subject: 'afternoon script' }, [10]),
  measured({ part: 'drop-to-result', subject: 'paydrop' }, [4]),
  measured({ part: 'small-files', subject: 'afternoon script' }, [7]),
  measured({ part: 'small-files', subject: 'paydrop' }, [14]),
];

describe('quickRatios', () => {
  it('says of each peer how many times as fast we are', () => {
    expect(Object.values(quickRatios(WHOLE))).toEqual([8, 0.5, 2, 0.75, 2.5, 0.5]);
  });

  it('leaves out what was not measured', () => {
    expect(Object.keys(quickRatios(WHOLE.slice(0, 3)))).toHaveLength(2);
  });

  it('knows every ratio that is committed', async () => {
    expect(Object.keys(await readCommittedRatios()).sort()).toEqual(Object.keys(quickRatios(WHOLE)).sort());
  });
});

async function checkWhole(path: string) {
  const { accounts, folders } = resolveSettings(
    Config.parse(plainConfig({ serviceUrl: 'http://127.0.0.1:1' })),
    '/',
    {},
  );
  const [account] = accounts.values();
  const rules = { operation: 'card', account: account!, folder: folders[0]!, today: '2026-06-15' } as const;
  const check = checkPaymentFile(createReadStream(path), rules);
  for (;;) {
    const step = await check.next();
    if (step.done) return step.value;
  }
}
