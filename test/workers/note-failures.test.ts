import { describe, expect, it } from 'vitest';
import { openedForTests } from '../support/opened-for-tests.ts';
import { PipelineError } from '../../src/kernel/errors.ts';
import { readFailing } from '../../src/ledger/alarm/note-failure.ts';
import { note, noteEnd, noting, refreshFailing } from '../../workers/note-failures.ts';
import { CARD } from '../support/payment-rows.ts';
import { openPipelineWorld } from '../support/pipeline-world.ts';

const world = openedForTests(openPipelineWorld);

const ITEM = { work: 'shred', subject: 'here' } as const;
const failing = async () => (await readFailing(world.app.ledger)).map(({ subject, reason }) => ({ subject, reason }));
const reject = async (error: Error) => {
  throw error;
};
const fail = async (error: Error) => {
  await expect(noting(world.app, ITEM, () => reject(error))).rejects.toBe(error);
};

describe('noting', () => {
  it('hands on results and errors, remembers what fails, and ends it with the first success', async () => {
    const error = new PipelineError('DISK_FULL', 'write the file');
    await fail(error);
    await fail(error);
    expect(await failing()).toEqual([]);
    await fail(error);
    expect(await failing()).toEqual([{ subject: 'here', reason: error.message }]);
    expect(await noting(world.app, ITEM, async () => 7)).toBe(7);
    expect(await failing()).toEqual([]);
  });

  it('keeps no number that stands in an error of others', async () => {
    for (let n = 0; n < 3; n += 1) await fail(new Error(`what is ${CARD} for?`));
    expect(JSON.stringify(await failing())).not.toMatch(/\d{5}/);
    await noteEnd(world.app, ITEM);
  });
});

describe('refreshFailing', () => {
  it('lets this process end what another has noted', async () => {
    for (let n = 0; n < 3; n += 1) await note(world.app, ITEM, { reason: 'x' }, 1_000);
    world.app.health.failing.clear();
    await noteEnd(world.app, ITEM);
    expect(await failing()).toHaveLength(1);
    await refreshFailing(world.app);
    await noteEnd(world.app, ITEM);
    expect(await failing()).toEqual([]);
  });
});
