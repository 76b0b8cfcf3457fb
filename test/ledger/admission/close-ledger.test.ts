import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readAccountStates } from '../../../src/ledger/account/read-holds.ts';
import { lockForStop } from '../../../src/ledger/account/pause-account.ts';
import { isAdmitted, type Sender } from '../../../src/ledger/admission/admit.ts';
import { declareLost, retireSender, vouchForFirst } from '../../../src/ledger/admission/by-person.ts';
import { closeLedger, type Closing, LEAP, readState } from '../../../src/ledger/admission/close-ledger.ts';
import { isOpen, mustBeOpen } from '../../../src/ledger/admission/close-ledger.ts';
import { readAdmission } from '../../../src/ledger/admission/read-admission.ts';
import type { Fence } from '../../../src/ledger/admission/send-journal.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { NOT_LISTED, senderOf, useHosts, waitsOf } from './support/hosts.ts';

const hosts = useHosts();

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

it('mustBeOpen refuses decisions while the ledger may have gone back', async () => {
  await expect(transact(hosts.ledger, mustBeOpen)).rejects.toMatchObject({ code: 'LEDGER_NOT_OPEN' });
  await hosts.enterBoth();
  expect(await isOpen(hosts.ledger.pool)).toBe(true);
  await transact(hosts.ledger, mustBeOpen);
  await hosts.otherRun();
  expect(await isOpen(hosts.ledger.pool)).toBe(false);
  await expect(transact(hosts.ledger, mustBeOpen)).rejects.toMatchObject({ code: 'LEDGER_NOT_OPEN' });
});

it('readAdmission tells who sends, and while it is closed who has reported and who is waited for', async () => {
  await hosts.world.force(
    `UPDATE admission SET made_in = pg_postmaster_start_time(),
       made_database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())`,
  );
  expect(await readAdmission(hosts.ledger)).toMatchObject({ isOpen: false, isNew: true });
  const [, b] = await hosts.enterBoth();
  await hosts.send('b', b);
  const states = async () =>
    (await readAdmission(hosts.ledger)).senders.map(({ name, state, calls }) => [name, state, calls]);
  expect(await readAdmission(hosts.ledger)).toMatchObject({ isOpen: true, isNew: false, epoch: 2, waits: [] });
  expect(await states()).toEqual([
    ['a', 'sends', 0],
    ['b', 'sends', 1],
  ]);
  await hosts.otherRun();
  await hosts.enter('a');
  expect(await readAdmission(hosts.ledger)).toMatchObject({
    isOpen: false,
    waits: [expect.stringContaining('host b')],
  });
  expect(await states()).toEqual([
    ['a', 'reported', 0],
    ['b', 'waited for', 1],
  ]);
});

describe('by a person', () => {
  const because = { actor: 'operator:ada', reason: 'the disk burned' };

  async function retireB(a: Sender) {
    hosts.ledger.admitted.sender = a;
    return retireSender(hosts.ledger, { own: await hosts.journalOf('a'), from: await hosts.journalOf('b') }, because);
  }

  it('declareLost opens without a journal that is gone, and stops the accounts', async () => {
    await hosts.enterOneAgain();
    expect(await declareLost(hosts.ledger, 'b', ['main'], because)).toEqual(['main']);
    expect(waitsOf(await hosts.enter('a'))).toEqual([{ why: 'host', name: 'b' }]);
    // The lost host must leave the list, or return with a new journal.
    expect(waitsOf(await hosts.enter('a', ['a']))).toEqual([]);
    const [state] = await readAccountStates(hosts.ledger, ['main']);
    expect(JSON.stringify(state)).toContain('known to the service alone: the disk burned');
    expect((await readAdmission(hosts.ledger)).senders.map(({ name, state: now }) => [name, now])).toEqual([
      ['a', 'sends'],
      ['b', 'lost'],
    ]);
  });

  it('declareLost asks all to report again: with a report of the lost one another ledger may have opened meanwhile', async () => {
    await hosts.enterOneAgain();
    await declareLost(hosts.ledger, 'b', ['main'], because);
    await rm(hosts.pathOf('b'));
    expect(waitsOf(await hosts.enter('b'))).toContainEqual({ why: 'host', name: 'a' });
    const { epoch } = senderOf(await hosts.enter('a'));
    expect(epoch).toBeGreaterThan(LEAP);
  });

  it('declareLost refuses for one that has reported', async () => {
    await hosts.enterOneAgain();
    await expect(declareLost(hosts.ledger, 'a', ['main'], because)).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
  });

  it('declareLost stops nothing for a name that is not waited for', async () => {
    const [a] = await hosts.enterBoth();
    await expect(declareLost(hosts.ledger, 'hots-b', ['main'], because)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await isAdmitted(hosts.ledger, a)).toBe(true);
  });

  it('declareLost takes a journal that was lost after it had reported', async () => {
    await hosts.enterOneAgain();
    for (let disks = 0; disks < 2; disks += 1) {
      await rm(hosts.pathOf('b'));
      await hosts.enter('b');
    }
    expect(waitsOf(await hosts.enter('b'))).toMatchObject([{ why: 'same-name' }, { why: 'journal' }]);
    await declareLost(hosts.ledger, 'b', ['main'], because);
    expect(waitsOf(await hosts.enter('a'))).toMatchObject([{ why: 'host', name: 'b' }]);
    senderOf(await hosts.enter('b'));
  });

  it('a host that was retired and comes back stops nobody', async () => {
    const [a] = await hosts.enterBoth();
    await retireB(a);
    expect(waitsOf(await hosts.enter('b'))).toMatchObject([{ why: 'retired' }]);
    expect(await isAdmitted(hosts.ledger, a)).toBe(true);
  });

  it('retireSender takes over the calls, so that an older ledger needs the host no more', async () => {
    const [a, b] = await hosts.enterBoth();
    const fileId = await hosts.send('b', b);
    expect(await retireB(a)).toEqual({ name: 'b', calls: 1 });
    expect(await isAdmitted(hosts.ledger, b)).toBe(false);
    await hosts.goBack(fileId);
    await hosts.world.force(`UPDATE sender SET state = 'known' WHERE name = 'b'`);
    expect((await hosts.enter('a', ['a'])).recalled).toMatchObject([{ recalled: [{ fileId }] }]);
    expect(await isOpen(hosts.ledger.pool)).toBe(true);
  });

  it('retireSender refuses an older copy', async () => {
    const [a, b] = await hosts.enterBoth();
    await copyFile(hosts.pathOf('b'), join(hosts.folder, 'older'));
    await hosts.send('b', b);
    await writeFile(hosts.pathOf('b'), await readFile(join(hosts.folder, 'older')));
    await expect(retireB(a)).rejects.toThrow('it lacks 1 call that the ledger has');
  });

  it('vouchForFirst lets a host begin in a ledger that has only taken files in', async () => {
    await hosts.world.accepted();
    await hosts.world.force('UPDATE admission SET made_in = now()');
    expect(waitsOf(await hosts.enter('a', NOT_LISTED))).toEqual([{ why: 'stranger' }]);
    await vouchForFirst(hosts.ledger, because);
    expect(waitsOf(await hosts.enter('a', NOT_LISTED))).toEqual([]);
  });

  it('declareLost takes any name of a ledger that does not know who sent from it', async () => {
    await hosts.world.accepted();
    await hosts.world.force(`UPDATE admission SET made_in = '-infinity'`);
    expect(waitsOf(await hosts.enter('new', NOT_LISTED))).toEqual([{ why: 'stranger' }]);
    expect(await declareLost(hosts.ledger, 'old', ['main'], because)).toEqual(['main']);
    expect(waitsOf(await hosts.enter('new', NOT_LISTED))).toEqual([]);
  });
});
