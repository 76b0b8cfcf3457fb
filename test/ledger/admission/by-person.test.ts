import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isAdmitted } from '../../../src/ledger/admission/admit.ts';
import { declareLost, retireSender, vouchForFirst } from '../../../src/ledger/admission/by-person.ts';
import { LEAP } from '../../../src/ledger/admission/close-ledger.ts';
import { isOpen } from '../../../src/ledger/admission/must-be-open.ts';
import { readAdmission } from '../../../src/ledger/admission/read-admission.ts';
import { readAccountStates } from '../../../src/ledger/account/read-holds.ts';
import { type Hosts, NOT_LISTED, openHosts, senderOf, waitsOf } from './support/hosts.ts';

let hosts: Hosts;
beforeEach(async () => {
  hosts = await openHosts();
});
afterEach(() => hosts.close());

describe('by a person', () => {
  const because = { actor: 'operator:ada', reason: 'the disk burned' };

  it('declareLost opens without a journal that is gone, and stops the accounts', async () => {
    await hosts.enterBoth();
    await hosts.otherRun();
    await hosts.enter('a');
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
    await hosts.enterBoth();
    await hosts.otherRun();
    await hosts.enter('a');
    await declareLost(hosts.ledger, 'b', ['main'], because);
    await rm(hosts.pathOf('b'));
    expect(waitsOf(await hosts.enter('b'))).toContainEqual({ why: 'host', name: 'a' });
    const { epoch } = senderOf(await hosts.enter('a'));
    expect(epoch).toBeGreaterThan(LEAP);
  });

  it('declareLost refuses for one that has reported', async () => {
    await hosts.enterBoth();
    await hosts.otherRun();
    await hosts.enter('a');
    await expect(declareLost(hosts.ledger, 'a', ['main'], because)).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
  });

  it('declareLost stops nothing for a name that is not waited for', async () => {
    const [a] = await hosts.enterBoth();
    await expect(declareLost(hosts.ledger, 'hots-b', ['main'], because)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await isAdmitted(hosts.ledger, a)).toBe(true);
  });

  it('declareLost takes a journal that was lost after it had reported', async () => {
    await hosts.enterBoth();
    await hosts.otherRun();
    await hosts.enter('a');
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
    hosts.ledger.admitted.sender = a;
    await retireSender(hosts.ledger, { own: await hosts.journalOf('a'), from: await hosts.journalOf('b') }, because);
    expect(waitsOf(await hosts.enter('b'))).toMatchObject([{ why: 'retired' }]);
    expect(await isAdmitted(hosts.ledger, a)).toBe(true);
  });

  it('retireSender takes over the calls, so that an older ledger needs the host no more', async () => {
    const [a, b] = await hosts.enterBoth();
    const fileId = await hosts.send('b', b);
    hosts.ledger.admitted.sender = a;
    const journals = { own: await hosts.journalOf('a'), from: await hosts.journalOf('b') };
    expect(await retireSender(hosts.ledger, journals, because)).toEqual({ name: 'b', calls: 1 });
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
    hosts.ledger.admitted.sender = a;
    const journals = { own: await hosts.journalOf('a'), from: await hosts.journalOf('b') };
    await expect(retireSender(hosts.ledger, journals, because)).rejects.toThrow(
      'it lacks 1 call that the ledger knows',
    );
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
