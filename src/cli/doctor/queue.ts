import { inspectRedis, type RedisState } from '../../queue/redis-connection.ts';
import { bad, type Check, type Finding, ok, warn } from './check.ts';
import { findingOf } from './finding-of.ts';

/** Jobs may be lost without harm, so Redis trouble costs time, never money. */
export const queue: Check = {
  name: 'Queue',
  needs: 'ledger',
  async look({ settings, ledger }) {
    if (settings.redisUrl) return lookAtRedis(settings.redisUrl);
    const { rows } = await ledger.pool.query<{ isThere: boolean }>(
      `SELECT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = 'paydrop_queue') AS "isThere"`,
    );
    return [ok(rows[0]?.isThere ? 'it lives beside the ledger' : 'it will live beside the ledger; the start makes it')];
  },
};

async function lookAtRedis(url: string): Promise<Finding[]> {
  try {
    return judgeRedis(await inspectRedis(url));
  } catch (error) {
    return [findingOf(error, bad)];
  }
}

export function judgeRedis({ version, policy, isAppendOnly, refusal }: RedisState): Finding[] {
  const findings: Finding[] = [];
  if (refusal !== undefined)
    findings.push(
      bad(`Redis takes no jobs: ${refusal}`, 'Fix what it says. Nothing is lost: the sweep asks for the jobs again.'),
    );
  if (policy !== 'noeviction')
    findings.push(
      bad(
        `Redis throws keys away when its memory is full (${policy})`,
        'redis-cli CONFIG SET maxmemory-policy noeviction',
      ),
    );
  if (!isAppendOnly)
    findings.push(
      warn('Redis forgets its jobs when it ends; the sweep asks for them again', 'redis-cli CONFIG SET appendonly yes'),
    );
  return findings.length > 0 ? findings : [ok(`Redis ${version} answers and keeps its jobs`)];
}
