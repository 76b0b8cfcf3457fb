import { rename } from 'node:fs/promises';
import type { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHealth } from '../../../src/kernel/health.ts';
import { findUnready } from '../../../src/web/monitor/find-unready.ts';
import { openPipelineWorld, type PipelineWorld } from '../../support/pipeline-world.ts';
import { beforeStatement } from '../../workers/support/failing-app.ts';

let world: PipelineWorld;
beforeAll(async () => {
  world = await openPipelineWorld();
});
afterAll(() => world.close());

const never = () => new Promise<never>(() => {});

function running() {
  const health = startHealth(world.app.clock);
  health.noteSweep();
  return { ...world.app, health };
}

describe('findUnready', () => {
  it('finds nothing wrong with a process that has swept once', async () => {
    expect(await findUnready(running())).toEqual([]);
  });

  it('is not ready before the first sweep, nor when it stops', async () => {
    const health = startHealth(world.app.clock);
    expect(await findUnready({ ...world.app, health })).toEqual([{ part: 'process', why: 'it is starting' }]);
    const app = running();
    app.health.noteStop();
    expect(await findUnready(app)).toEqual([{ part: 'process', why: 'it is stopping' }]);
  });

  it('does not wait for a ledger that keeps silent', async () => {
    const silent = beforeStatement(running(), /transaction_read_only/, never);
    // The queue answers at once, so the limit can be short.
    const counts = await world.app.queue.counts('submit');
    const app = { ...silent, queue: { ...world.app.queue, counts: () => Promise.resolve(counts) } };
    expect(await findUnready(app, 50)).toEqual([
      { part: 'ledger', why: 'it does not answer within 50 ms, or refuses' },
    ]);
  });

  it('names a ledger that answers and takes no changes', async () => {
    const app = running();
    const client = await app.ledger.pool.connect();
    await client.query('SET default_transaction_read_only = on');
    const closed = { ...app, ledger: { ...app.ledger, pool: client as unknown as Pool } };
    expect(await findUnready(closed)).toEqual([{ part: 'ledger', why: 'its database is read-only, or a standby' }]);
    client.release(true);
  });

  it('says nothing of what a ledger or queue said that refuses', async () => {
    const refuse = async () => {
      throw new Error('password authentication failed for user "ada"');
    };
    const app = beforeStatement(running(), /transaction_read_only/, refuse);
    const wrong = await findUnready({ ...app, queue: { ...app.queue, counts: refuse } });
    expect(wrong.map(({ part }) => part)).toEqual(['ledger', 'queue']);
    expect(JSON.stringify(wrong)).not.toContain('ada');
  });

  it('names a journal that is gone', async () => {
    const { journal } = world.settings.paths;
    await rename(journal, `${journal}.away`);
    expect(await findUnready(running())).toEqual([{ part: 'journal', why: 'it is missing' }]);
    await rename(`${journal}.away`, journal);
    expect(await findUnready(running())).toEqual([]);
  });
});
