import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { judgeRedis, queue } from '../../../src/cli/doctor/servers.ts';
import { closedUrl } from '../../workers/support/step-world.ts';
import { openPatientWorld, type PatientWorld } from './support/patient-world.ts';

let world: PatientWorld;
beforeAll(async () => {
  world = await openPatientWorld();
});
afterAll(() => world.close());

describe('queue', () => {
  it('lives beside the ledger', async () => {
    expect(await world.look(queue)).toEqual([{ level: 'ok', found: 'it lives beside the ledger' }]);
  });

  it('finds a Redis that does not answer', async () => {
    const redisUrl = (await closedUrl()).replace('http', 'redis');
    const findings = await world.look(queue, { settings: { ...world.settings, redisUrl } });
    expect(findings).toMatchObject([{ level: 'bad', mend: expect.stringContaining('Check Redis') }]);
  });
});

describe('judgeRedis', () => {
  it.each([
    ['noeviction', true, ['ok']],
    ['noeviction', false, ['warn']],
    ['allkeys-lru', true, ['bad']],
    ['volatile-ttl', false, ['bad', 'warn']],
  ])('%s, append only %s', (policy, isAppendOnly, levels) => {
    expect(judgeRedis({ version: '8.0', policy, isAppendOnly }).map(({ level }) => level)).toEqual(levels);
  });

  it('passes on why Redis takes no writes', () => {
    const refusal = "OOM command not allowed when used memory > 'maxmemory'.";
    expect(judgeRedis({ version: '8.0', policy: 'noeviction', isAppendOnly: true, refusal })).toMatchObject([
      { level: 'bad', found: `Redis takes no jobs: ${refusal}` },
    ]);
  });
});
