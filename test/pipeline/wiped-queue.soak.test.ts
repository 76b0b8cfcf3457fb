import { describe, expect, it } from 'vitest';
import { compareBooks } from '../../src/cli/demo/compare-books.ts';
import { dropQueue } from '../support/drop-queue.ts';
import { cardRow, lines, upTo } from '../support/payment-rows.ts';
import { openPipelineWorld } from '../support/pipeline-world.ts';
import { redisVerdict, startTestRedis } from '../support/redis.ts';

describe.each(['postgres', 'redis'] as const)('with the queue on %s', (backend) => {
  const verdict = redisVerdict();
  if (backend === 'redis' && !verdict.isInstalled) {
    it(verdict.sentence, () => expect(verdict.isFine).toBe(true));
    return;
  }

  it('a queue that is wiped in the middle costs time and no payment', async () => {
    const redis = backend === 'redis' ? await startTestRedis() : undefined;
    const world = await openPipelineWorld({ settings: { batch: { maxRows: 5 } }, redisUrl: redis?.url ?? '' });
    try {
      const { drop, app, sandbox, states, start } = world;
      await drop('card', 'many.csv', lines(upTo(40).map((n) => cardRow(n))));
      const workers = await start();
      await expect.poll(() => sandbox.books().length, { interval: 5 }).toBeGreaterThan(5);
      if (redis) await redis.restart();
      else await dropQueue(app.ledger.pool);
      await expect.poll(() => states(), { interval: 20 }).toEqual({ 'many.csv': 'completed' });
      await workers.stop();
      expect(sandbox.books()).toHaveLength(40);
      expect(await compareBooks(app, sandbox.books())).toEqual([]);
    } finally {
      await world.close();
      await redis?.stop();
    }
  });
});
