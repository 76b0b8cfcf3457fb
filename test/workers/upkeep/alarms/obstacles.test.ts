import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FailingWork, noteFailure } from '../../../../src/ledger/alarm/note-failure.ts';
import { describeFailing, readObstacles } from '../../../../workers/upkeep/alarms/obstacles.ts';
import { openPipelineWorld, type PipelineWorld } from '../../../support/pipeline-world.ts';

let world: PipelineWorld;
beforeAll(async () => {
  world = await openPipelineWorld();
});
afterAll(() => world.close());

const WORK: FailingWork = {
  work: 'poll',
  subject: 'f1/2',
  account: null,
  fileId: 'f1',
  batchNo: 2,
  name: 'june.csv',
  code: null,
  reason: 'no answer',
  failures: 4,
  since: new Date(0),
  lastAt: new Date(1),
};

describe('describeFailing', () => {
  it('says what, how often, why and what helps, with the batch in place', () => {
    expect(describeFailing(WORK)).toMatchObject({
      what: 'Cannot fetch the result of f1/2',
      name: 'june.csv',
      why: 'failed 4 times: no answer',
      next: expect.stringContaining('"paydrop repoll f1/2"'),
    });
    const sending = describeFailing({ ...WORK, work: 'submit', account: 'main', fileId: null, batchNo: null });
    expect(sending.next).toContain('"paydrop account pause main"');
  });
});

describe('readObstacles', () => {
  it('is empty when all is well, and tells of failing work and of drops in quarantine', async () => {
    const { app, settings } = world;
    expect(await readObstacles(app.ledger, settings)).toEqual([]);
    const item = { work: 'watch', subject: 'drop/card', account: 'main' } as const;
    for (let n = 0; n < 3; n += 1) await noteFailure(app.ledger, item, { reason: 'it is away' }, 1_000);
    await mkdir(join(settings.paths.quarantine, 'x'), { recursive: true });
    const found = await readObstacles(app.ledger, settings);
    expect(found.map(({ key, what }) => [key, what])).toEqual([
      ['watch', 'Cannot take drops from folder drop/card'],
      ['quarantine', 'A drop lies in quarantine'],
    ]);
    expect(found[1]!.since).toBeInstanceOf(Date);
    await rm(settings.paths.quarantine, { recursive: true });
  });
});
