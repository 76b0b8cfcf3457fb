import { describe, expect, it } from 'vitest';
import { postgresVerdict } from '../support/installed-postgres.ts';
import { redisVerdict } from '../support/redis.ts';
import { openEngines } from './hosts.ts';
import { runScale } from './run-scale.ts';

it('two hosts that send, two that ask and one with the folders are killed in turn; nothing is lost, twice or out of order', async () => {
  const plan = { files: 8, rowsPerFile: 30, accounts: 4, workers: 2, kills: 3, seed: 7 };
  const report = await runScale(plan);
  expect(report.failures).toEqual([]);
  expect(report.rows).toBe(240);
});

const servers = [
  { away: 'postgres', verdict: postgresVerdict() },
  { away: 'redis', verdict: redisVerdict() },
];
it.each(servers)('$verdict.sentence', ({ verdict }) => expect(verdict.isFine).toBe(true));

/** More than the minute, because everything else takes time on a busy machine. */
const LIMIT = { timeout: 300_000 };

describe.concurrent('a minute without a server, in the middle of the work', () => {
  const installed = servers.filter(({ verdict }) => verdict.isInstalled);
  it.for(installed)('$away: nothing is lost or sent twice, and all goes on by itself', LIMIT, async ({ away }) => {
    const engines = await openEngines({ queue: away, away, seconds: 60 });
    try {
      const plan = { files: 24, rowsPerFile: 30, accounts: 2, workers: 1, kills: 0, seed: 11 };
      const report = await runScale({ ...plan, ...engines.given });
      expect(report.failures).toEqual([]);
      expect(report.seconds).toBeGreaterThan(60);
    } finally {
      await engines.stop();
    }
  });
});
