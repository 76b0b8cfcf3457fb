import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { judgeServer, postgres } from '../../../src/cli/doctor/postgres.ts';
import { inspectServer, type ServerState } from '../../../src/ledger/engine/open-ledger.ts';
import { openPatientWorld, type PatientWorld } from './support/patient-world.ts';

let world: PatientWorld;
beforeAll(async () => {
  world = await openPatientWorld();
});
afterAll(() => world.close());

const RIGHT: Omit<ServerState, 'now'> = {
  versionNumber: 180_004,
  version: '18.4',
  fsync: 'on',
  fullPageWrites: 'on',
  synchronousCommit: 'on',
  isStandby: false,
};

describe('postgres', () => {
  it('says which version it is, and what of its settings is unsafe', async () => {
    // The test server does not wait for the disk.
    const { fsync } = await inspectServer(world.app.ledger);
    const findings = await world.look(postgres);
    expect(findings.some(({ found }) => found.startsWith('fsync is off'))).toBe(fsync === 'off');
  });

  it('finds a ledger that an older version made', async () => {
    await world.app.ledger.pool.query(`DELETE FROM migration WHERE name = '0006-poison.sql'`);
    expect(await world.look(postgres)).toContainEqual({
      level: 'warn',
      found: 'the ledger lacks 0006-poison.sql',
      mend: expect.stringContaining('next start'),
    });
  });
});

describe('judgeServer', () => {
  it.each([
    ['as it should be', {}, []],
    ['an old version', { versionNumber: 130_022, version: '13.22' }, ['warn']],
    ['fsync off', { fsync: 'off' }, ['bad']],
    ['full_page_writes off', { fullPageWrites: 'off' }, ['bad']],
    ['synchronous_commit off', { synchronousCommit: 'off' }, ['bad']],
    ['a standby', { isStandby: true }, ['bad']],
  ])('%s', (_what, change, levels) => {
    expect(judgeServer({ ...RIGHT, now: new Date(0), ...change }).map(({ level }) => level)).toEqual(levels);
  });
});
