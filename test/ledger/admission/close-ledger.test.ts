import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Closing, closeLedger, readState } from '../../../src/ledger/admission/close-ledger.ts';
import { lockForStop } from '../../../src/ledger/account/stop-lock.ts';
import type { Fence } from '../../../src/ledger/admission/send-journal.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { type Hosts, openHosts } from './support/hosts.ts';

let hosts: Hosts;
beforeAll(async () => {
  hosts = await openHosts();
});
afterEach(() => hosts.otherRun());
afterAll(() => hosts.close());

function close(fence?: Partial<Fence>): Promise<Closing> {
  return transact(hosts.ledger, async (tx) => {
    await lockForStop(tx);
    return closeLedger(tx, fence as Fence | undefined);
  });
}

describe('closeLedger', () => {
  it('closes what is open, with a number that is greater', async () => {
    await hosts.enterBoth();
    const before = await readState(hosts.ledger);
    expect(before).toMatchObject({ isOpen: true, isOfThisRun: true });
    const closing = await close();
    expect(closing.epoch).toBeGreaterThan(before.epoch);
    expect(closing.knows).toHaveLength(2);
    expect(await readState(hosts.ledger)).toMatchObject({ isOpen: false, isOfThisRun: true, epoch: before.epoch });
  });

  it('leaves a closing as it is, until a journal comes that has met its number elsewhere', async () => {
    const closing = await close();
    expect(await close()).toEqual(closing);
    expect(await close({ closing: closing.id, epoch: closing.epoch })).toEqual(closing);
    expect(await close({ closing: 'another', epoch: closing.epoch - 1 })).toEqual(closing);
    const raised = await close({ closing: 'another', epoch: closing.epoch + 4 });
    expect(raised).toMatchObject({ epoch: closing.epoch + 5, id: expect.not.stringMatching(closing.id) });
  });

  it('goes on from the number of a closing that a restart of the server ended', async () => {
    await close();
    await hosts.world.force('UPDATE admission SET closing_epoch = 90');
    await hosts.otherRun();
    expect((await close()).epoch).toBe(91);
  });
});
