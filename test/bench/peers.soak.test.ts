import { mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createReadStream } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Pool } from 'pg';
import { connect, type Service } from '../../bench/peers/afternoon/call-service.ts';
import { cutBatches, readPayments, writeResults } from '../../bench/peers/afternoon/read-payments.ts';
import { deliver } from '../../bench/peers/durable/deliver.ts';
import { receiveResult, sendBatch } from '../../bench/peers/durable/send.ts';
import { TABLES } from '../../bench/peers/durable/tables.ts';
import { takeIn } from '../../bench/peers/durable/take-in.ts';
import { startLeanService } from '../../bench/service/lean-service.ts';
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
import { openTestPool, startTestPostgres } from '../support/postgres.ts';
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

describe('the durable peer', () => {
  let pool: Pool;
  let service: Service;
  beforeAll(async () => {
    const postgres = await startTestPostgres({ schema: 'empty' });
    pool = openTestPool(postgres.connection);
    await pool.query(TABLES);
    return async () => {
      await pool.end();
      await postgres.stop();
    };
  });
  beforeEach(async () => {
    const lean = await startLeanService();
    onTestFinished(() => lean.close());
    service = await connect(lean.url);
  });

  const FIVE = Array.from({ length: 5 }, (_, index) => ROW.replace('1001', `100${index + 1}`));
  const take = async (name: string, lines: readonly string[]) => {
    const path = join(dir, name);
    await writeFile(path, `${lines.join('\n')}\n`);
    return takeIn(pool, { path, name, maxRows: 2 });
  };

  it('takes a file to its result, without a row that is invalid', async () => {
    const lines = FIVE.with(1, FIVE[1]!.replace('VISA', 'VISO')).with(3, FIVE[3]!.replace('Ada', 'A\\da'));
    const { file, batches } = await take('week.csv', lines);
    expect(batches).toBe(2);
    for (const no of [1, 2]) expect(await sendBatch(pool, service, { file, no })).toBe(true);
    expect(await receiveResult(pool, service, { file, no: 2 })).toEqual({ is: 'done' });
    expect(await receiveResult(pool, service, { file, no: 1 })).toEqual({ is: 'last', name: 'week.csv' });
    const out = await mkdtemp(join(dir, 'out-'));
    const folder = await open(out);
    await deliver(pool, { path: out, folder }, { file, name: 'week.csv' });
    await folder.close();
    expect((await readdir(out)).sort()).toEqual(['week.rejects.csv', 'week.result.csv']);
    const result = (await readFile(join(out, 'week.result.csv'), 'utf8')).trimEnd().split('\n');
    expect(result).toHaveLength(5);
    expect(result[3]).toBe(
      '06/15/2026,1004,A\\da,Byron,1 Mill Lane,Troy,NY,12180,5.00,VISA,************2220,12/35,approved,OK: 678594:',
    );
    expect((await readFile(join(out, 'week.rejects.csv'), 'utf8')).split('\n')[1]).toMatch(/^2,/);
  });

  it('sends no batch twice, not even one of which it does not know whether it arrived', async () => {
    const { file } = await take('twice.csv', FIVE);
    const broken = { ...service, submit: () => Promise.reject(new Error('reset')) };
    await expect(sendBatch(pool, broken, { file, no: 1 })).rejects.toThrow('reset');
    expect(await sendBatch(pool, service, { file, no: 1 })).toBe(false);
    expect(await receiveResult(pool, service, { file, no: 1 })).toEqual({ is: 'done' });
  });

  it('stores nothing of a file that it cannot read', async () => {
    await expect(take('torn.csv', [...FIVE, '"never closed'])).rejects.toThrow();
    expect((await pool.query('SELECT name FROM file WHERE name = $1', ['torn.csv'])).rows).toEqual([]);
  });

  it('counts a batch once, however often its result comes, and waits while there is none', async () => {
    const { file } = await take('again.csv', FIVE);
    await sendBatch(pool, service, { file, no: 1 });
    const silent = { ...service, askResult: async () => undefined };
    expect(await receiveResult(pool, silent, { file, no: 1 })).toEqual({ is: 'waiting' });
    await Promise.all([1, 2, 3].map(() => receiveResult(pool, service, { file, no: 1 })));
    const { rows } = await pool.query('SELECT open_batches FROM file WHERE id = $1', [file]);
    expect(rows).toEqual([{ open_batches: 2 }]);
  });

  it('stops when a result is not that of the row in its place', async () => {
    const { file } = await take('swapped.csv', FIVE);
    await sendBatch(pool, service, { file, no: 1 });
    const swapped = { ...service, askResult: async (id: string) => (await service.askResult(id))?.toReversed() };
    await expect(receiveResult(pool, swapped, { file, no: 1 })).rejects.toThrow('1001 came back as 1002');
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
  measured({ part: 'drop-to-result', subject: 'durable peer' }, [12]),
  measured({ part: 'drop-to-result', subject: 'paydrop' }, [4]),
  measured({ part: 'small-files', subject: 'afternoon script' }, [7]),
  measured({ part: 'small-files', subject: 'durable peer' }, [21]),
  measured({ part: 'small-files', subject: 'paydrop' }, [14]),
];

describe('quickRatios', () => {
  it('says of each peer how many times as fast we are', () => {
    expect(Object.values(quickRatios(WHOLE))).toEqual([8, 0.5, 2, 0.75, 2.5, 3, 0.5, 1.5]);
  });

  it('leaves out what was not measured', () => {
    expect(Object.keys(quickRatios(WHOLE.slice(0, 3)))).toHaveLength(2);
  });

  it('knows every ratio that is committed', async () => {
    const known = Object.keys(quickRatios(WHOLE));
    expect(known).toEqual(expect.arrayContaining(Object.keys(await readCommittedRatios())));
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
