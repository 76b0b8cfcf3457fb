import { copyFile, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { admit } from '../../../src/ledger/admission/admit.ts';
import { openSendJournal } from '../../../src/ledger/admission/send-journal.ts';
import { forceSql } from '../../support/force-sql.ts';
import { type CliWorld, openCliWorld } from '../support/cli-world.ts';

/** This host sends, and so does another, whose journal lies elsewhere. */
let world: CliWorld;
let elsewhere: string;
beforeAll(async () => {
  world = await openCliWorld({ settings: { senders: [HERE, 'host-b'] } });
  elsewhere = join(world.root, 'host-b', 'sends.jsonl');
  const journal = await openSendJournal(elsewhere);
  await admit(world.app.ledger, journal, { name: 'host-b', senders: [HERE, 'host-b'] });
  await journal.close();
  await goBack();
});
afterAll(() => world.close());

const HERE = hostname();

/** Imitates a restart of the database. */
async function goBack(): Promise<void> {
  await forceSql(world.app, 'UPDATE admission SET run_started = now()');
}

describe('sender', () => {
  it('list says that nothing is sent and who is waited for, and status says the same', async () => {
    await world.paydrop('account', 'list');
    const listed = await world.paydrop('sender', 'list');
    expect(listed.status).toBe(5);
    expect(listed.out).toMatch(/^NOTHING IS SENT: the ledger may have gone back\.\nWaiting for host host-b/);
    expect(listed.out).toMatch(new RegExp(`${HERE} +[\\da-f]{8} +reported`));
    const status = await world.paydrop('status', '--check');
    expect(status.status).toBe(5);
    expect(status.out).toMatch(/Nothing is sent.*\n +Waiting for host host-b/);
    expect(await world.paydrop('account', 'resume', 'main', '--reason', 'it is well')).toMatchObject({
      status: expect.any(Number),
      err: expect.stringContaining('Waiting for host host-b'),
    });
  });

  it('report --from opens it with a copy of the journal of the other host', async () => {
    const copy = join(world.root, 'copy.jsonl');
    await copyFile(elsewhere, copy);
    const reported = await world.paydrop('sender', 'report', '--from', copy);
    expect(reported).toMatchObject({ status: 0, out: 'Reported for host-b.\nThe ledger is open.\n' });
    expect((await world.paydrop('sender', 'list', '--json')).status).toBe(0);
    expect((await world.paydrop('sender', 'report', '--from', join(world.root, 'nowhere'))).status).not.toBe(0);
  });

  it('retire takes the other host out', async () => {
    const retired = await world.paydrop('sender', 'retire', '--from', elsewhere, '--reason', 'one host is enough');
    expect(retired).toMatchObject({
      status: 0,
      out: 'Retired host-b; 0 calls of it stand in the send journal here now.\n',
    });
    expect((await world.paydrop('sender', 'list')).out).toMatch(/host-b +[\da-f]{8} +retired/);
  });

  it('lost wants a reason, and stops every account', async () => {
    await goBack();
    await rm(elsewhere);
    expect((await world.paydrop('sender', 'lost', 'host-b')).status).not.toBe(0);
    const lost = await world.paydrop('sender', 'lost', 'host-b', '--reason', 'its disk burned');
    expect(lost.status).toBe(5);
    expect(lost.out).toContain('host-b is not waited for any more');
    expect((await world.paydrop('account', 'list')).out).toContain('its disk burned');
  });

  it('first is refused where something was sent, and done where nothing was', async () => {
    expect(await world.paydrop('sender', 'first', '--reason', 'it is new')).toMatchObject({ status: 0 });
  });

  it('list and status do not call a new ledger one that has gone back', async () => {
    await forceSql(world.app, "DELETE FROM sender; UPDATE admission SET is_open = false, epoch = 0, senders = '{}'");
    const journal = await openSendJournal(join(world.root, 'new', 'sends.jsonl'));
    await admit(world.app.ledger, journal, { name: 'host-b', senders: [HERE, 'host-b'] });
    await journal.close();
    const listed = await world.paydrop('sender', 'list');
    expect(listed).toMatchObject({
      status: 5,
      out: expect.stringMatching(/^Nothing is sent yet: the ledger is new\./),
    });
    const status = await world.paydrop('status', '--check');
    expect(status).toMatchObject({
      status: 5,
      out: expect.stringContaining(': the ledger is new, and not every host'),
    });
  });
});
