import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { noteFailure, readFailing } from '../../../src/ledger/alarm/note-failure.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());
beforeEach(() => world.empty());

const subjects = async (fileId?: string) => (await readFailing(world.ledger, fileId)).map(({ subject }) => subject);

async function fail(subject: string, times: number, item: { account?: string; fileId?: string } = {}): Promise<void> {
  for (let n = 0; n < times; n += 1)
    await noteFailure(world.ledger, { work: 'poll', subject, ...item }, { reason: 'no answer' }, 60_000);
}

describe('readFailing', () => {
  it('tells what has failed three times, or once and not succeeded for 45 s', async () => {
    await fail('often', 3);
    await fail('once', 1);
    expect(await subjects()).toEqual(['often']);
    world.clock.advance(44_000);
    expect(await subjects()).toEqual(['often']);
    world.clock.advance(1_000);
    expect(await subjects()).toEqual(['often', 'once']);
  });

  it('tells of one file what fails for it or for its account, with its name', async () => {
    const file = await world.accepted({ account: 'main', name: 'june.csv' });
    await fail('of the file', 3, { fileId: file.file_id });
    await fail('of its account', 3, { account: 'main' });
    await fail('of another account', 3, { account: 'other' });
    await fail('of another file', 3, { fileId: 'f2', account: 'main' });
    expect((await subjects(file.file_id)).sort()).toEqual(['of its account', 'of the file']);
    const all = await readFailing(world.ledger);
    expect(all.find(({ subject }) => subject === 'of the file')).toMatchObject({ name: 'june.csv', account: 'main' });
  });
});
