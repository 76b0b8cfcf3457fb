import { afterEach, describe, expect, it } from 'vitest';
import { compareBooks } from '../../src/cli/demo/compare-books.ts';
import { verifyAudit } from '../../src/ledger/queries/search.ts';
import { dropQueue } from '../support/drop-queue.ts';
import { achRow, cardRow, codeRow, lines, MAGIC_CARD, upTo } from '../support/payment-rows.ts';
import { openPipelineWorld, type PipelineWorld, type WorldOptions } from '../support/pipeline-world.ts';
import { redisVerdict, startTestRedis } from '../support/redis.ts';

let world: PipelineWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

async function open(options: WorldOptions = {}): Promise<PipelineWorld> {
  world = await openPipelineWorld(options);
  return world;
}

describe('a dropped file', () => {
  it('comes back with one line per row, in input order, with the outcome of each', async () => {
    const { drop, finish, outputs, sandbox, app } = await open();
    const rows = [
      cardRow(1),
      cardRow(2, { card: MAGIC_CARD, amount: '2.00' }),
      ...upTo(20).map((n) => cardRow(100 + n)),
      cardRow(3, { amount: 'ten' }),
    ];
    await drop('card', 'monday.csv', lines(rows));
    await finish();
    const [result = ''] = Object.values(await outputs('result'));
    const table = result
      .trimEnd()
      .split('\r\n')
      .map((line) => line.split(','));
    expect(table.slice(1).map((cells) => cells[0])).toEqual(upTo(23).map(String));
    expect(table.slice(1).map((cells) => cells[2])).toEqual(rows.map((row) => row.split(',')[1]));
    expect([1, 2, 3, 23].map((line) => table[line]?.[13])).toEqual(['APPROVED', 'DECLINED', 'APPROVED', 'INVALID']);
    expect(table[2]?.[14]).toBe('15');
    expect(result).not.toContain(MAGIC_CARD);
    expect(sandbox.books()).toHaveLength(22);
    expect(await compareBooks(app, sandbox.books())).toEqual([]);
    expect(await verifyAudit(app.ledger)).toBeUndefined();
  });

  it('is cut into batches of maxRows, sent one after the other', async () => {
    const { drop, finish, sandbox, states } = await open({ settings: { batch: { maxRows: 10 } } });
    await drop('ach-charge', 'june.csv', lines(upTo(35).map((n) => achRow(n))));
    await finish();
    expect(await states()).toEqual({ 'june.csv': 'completed' });
    const sizes = new Map<string, number>();
    for (const row of sandbox.books()) sizes.set(row.batchId, (sizes.get(row.batchId) ?? 0) + 1);
    expect([...sizes.values()]).toEqual([10, 10, 10, 5]);
    expect(sandbox.books().map((row) => row.invoice)).toEqual(upTo(35).map((n) => `A-${n}`));
  });

  it('goes its way in every folder beside the others', async () => {
    const { drop, finish, app, sandbox, states } = await open();
    await drop('card', 'card.csv', lines(upTo(3).map((n) => cardRow(n))));
    await drop('card', 'codes.csv', lines(upTo(3).map((n) => codeRow(n))));
    await drop('ach-charge', 'bank.csv', lines(upTo(3).map((n) => achRow(n))));
    await drop('ach-refund', 'back.csv', lines(upTo(3).map((n) => achRow(n, { amount: '-5.00' }))));
    await drop('ach-refund', 'back-codes.csv', lines(upTo(3).map((n) => codeRow(n, { amount: '-5.00' }))));
    await finish();
    expect(new Set(Object.values(await states()))).toEqual(new Set(['completed']));
    expect(sandbox.books()).toHaveLength(15);
    expect(await compareBooks(app, sandbox.books())).toEqual([]);
  });
});

describe.each(['postgres', 'redis'] as const)('with the queue on %s', (backend) => {
  const verdict = redisVerdict();
  if (backend === 'redis' && !verdict.isInstalled) {
    it(verdict.sentence, () => expect(verdict.isFine).toBe(true));
    return;
  }

  it('a queue that is wiped in the middle costs time and no payment', async () => {
    const redis = backend === 'redis' ? await startTestRedis() : undefined;
    try {
      const { drop, app, sandbox, states, start } = await open({
        settings: { batch: { maxRows: 5 } },
        redisUrl: redis?.url ?? '',
      });
      await drop('card', 'many.csv', lines(upTo(40).map((n) => cardRow(n))));
      const workers = await start();
      await expect.poll(() => sandbox.books().length, { timeout: 15_000, interval: 5 }).toBeGreaterThan(5);
      if (redis) await redis.restart();
      else await dropQueue(app.ledger.pool);
      await expect.poll(() => states(), { timeout: 25_000, interval: 100 }).toEqual({ 'many.csv': 'completed' });
      await workers.stop();
      expect(sandbox.books()).toHaveLength(40);
      expect(await compareBooks(app, sandbox.books())).toEqual([]);
    } finally {
      await world?.close();
      world = undefined;
      await redis?.stop();
    }
  }, 60_000);
});
