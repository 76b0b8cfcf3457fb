import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { readLink, usePersonLink } from '../../../src/ledger/person/invite-person.ts';
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { listPeople } from '../../../src/ledger/person/people.ts';
import { hashSecretToken } from '../../../src/crypto/secret-token.ts';
import { openCliWorld } from '../support/cli-world.ts';
import { runHere } from '../support/run-here.ts';
import { featureKeyName } from '../../../src/ledger/key/feature-key.ts';
import { wrapKey } from '../../../src/crypto/data-key.ts';
import { readVaultKey } from '../../../src/ledger/key/master-keys.ts';
import { masterKeyOf, textOf } from '../../support/openpgp.ts';
import { admit } from '../../../src/ledger/admission/admit.ts';
import { openSendJournal } from '../../../src/ledger/admission/send-journal.ts';
import { forceSql } from '../../support/force-sql.ts';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { offerSetUpLink } from '../../../src/cli/process/with-dashboard.ts';
import { openTestLedger } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const tokenOf = (out: string) => hashSecretToken(/\/set-up\/([\w-]{43})\n$/.exec(out)?.[1] ?? '');

const plain = openedForTests(openCliWorld);

/** The tests build on each other. */
describe('users', () => {
  const world = plain;
  beforeAll(async () => {
    vi.stubEnv('PAYDROP_DASHBOARD', '127.0.0.1:8420');
  });
  const leads = (out: string) => readLink(world.app.ledger, tokenOf(out));

  it('set-up prints a link for the first administrator, as long as there is nobody', async () => {
    expect((await world.paydrop('users', 'list')).out).toContain('There are no users yet.');
    const { status, out } = await world.paydrop('users', 'set-up');
    expect([status, out]).toEqual([0, expect.stringMatching(/^http:\/\/127\.0\.0\.1:8420\/set-up\//)]);
    expect(await leads(out)).toEqual({ person: null });
    await usePersonLink(world.app.ledger, tokenOf(out), { name: 'ann', password: 'hash' });
    expect(await world.paydrop('users', 'set-up')).toMatchObject({
      out: '',
      err: expect.stringContaining('the dashboard is already set up'),
    });
  });

  it('invite prints a link for a new user, and link one for a user who lost a password', async () => {
    const words = ['bob', '--role', 'approver', '--reason', 'joins us'];
    const { out } = await world.paydrop('users', 'invite', ...words);
    expect(await leads(out)).toEqual({ person: 'bob' });
    const again = await world.paydrop('users', 'link', 'bob', '--reason', 'lost it');
    expect([await leads(out), await leads(again.out)]).toEqual([undefined, { person: 'bob' }]);
    expect((await world.paydrop('users', 'list')).out).toMatch(/^bob +approver +invited +never/m);
  });

  it.each([
    [['invite', 'cid', '--role', 'king', '--reason', 'x'], /it must be one of viewer, operator, approver, admin/],
    [['invite', 'cid', '--role', 'viewer', '--reason', ' '], /--reason is empty/],
    [['invite', 'Cid Hill', '--role', 'viewer', '--reason', 'x'], /not a valid user name/],
    [['link', 'nobody', '--reason', 'x'], /link for "nobody": no active user .* "paydrop users list"/],
  ])('%j is refused and makes nobody', async (words, says) => {
    const { status, err } = await world.paydrop('users', ...words);
    expect(status).not.toBe(0);
    expect(err).toMatch(says);
    expect(await listPeople(world.app.ledger)).toHaveLength(2);
  });

  it('makes no links to a dashboard that is off', async () => {
    vi.stubEnv('PAYDROP_DASHBOARD', 'off');
    const { err } = await world.paydrop('users', 'link', 'bob', '--reason', 'x');
    expect(err).toContain('the dashboard is off in the configuration');
  });
});

let path = '';

describe('backup', () => {
  const world = plain;
  beforeAll(async () => {
    path = join(world.root, 'a.backup');
    await world.drop('card', 'june.csv', lines([cardRow(1)]));
    await world.finish();
  });

  it('writes the ledger while another process works with it, and says what to copy besides', async () => {
    const out = await world.says('backup', path);
    expect(out).toMatch(/^\S+a\.backup is intact: the ledger of \d{4}-.*Z, \d+ rows, with the tables of 0\.1\.0\.$/m);
    expect(out).toMatch(/^payment_row +1 /m);
    expect(out).toContain(join(world.root, 'data', 'archive'));
    expect(out).toContain('master.key');
    expect(out).toContain('Never restore');
  });

  it('prints JSON, and does not write over a file', async () => {
    const { out } = await world.paydrop('backup', join(world.root, 'b.backup'), '--json');
    expect(JSON.parse(out)).toMatchObject({ copyToo: { archive: world.settings.paths.archive } });
    expect(await world.paydrop('backup', path)).toMatchObject({ status: 5, out: '' });
  });

  it('holds no number of a payer', async () => {
    const text = (await readFile(path)).toString('latin1');
    expect(text).toContain('june.csv');
    expect(text).not.toContain('4111111111111111');
  });

  it.each([[[]], [['verify']], [['a', 'b']]])('wants one file, and not %j', async (words) => {
    expect(await world.paydrop('backup', ...words)).toMatchObject({ status: 1, out: '' });
  });

  it('verify says that a file is whole, or what is wrong with it', async () => {
    expect(await world.paydrop('backup', 'verify', path)).toMatchObject({ status: 0, err: '' });
    const bytes = await readFile(path);
    bytes[bytes.length >> 1]! ^= 1;
    await writeFile(join(world.root, 'bad.backup'), bytes);
    const bad = await world.paydrop('backup', 'verify', join(world.root, 'bad.backup'));
    expect(bad).toMatchObject({ status: 5, out: '' });
    expect(bad.err).toMatch(/^Cannot use the backup ".*bad\.backup": /);
  });

  describe('the master keys that it needs', () => {
    const strange = masterKeyOf(7);
    const useKeys = (...texts: string[]) => vi.stubEnv('PAYDROP_MASTER_KEY', texts.join(','));
    beforeAll(async () => {
      path = join(world.root, 'two-keys.backup');
      const wrapped = wrapKey(strange, featureKeyName('archive'), randomBytes(32));
      await readVaultKey(world.app.ledger, featureKeyName('archive'), () => wrapped);
      await world.says('backup', path);
    });
    afterAll(() => vi.unstubAllEnvs());

    it('verify says which are at hand', async () => {
      const { current } = world.app.keys;
      const { out } = await world.paydrop('backup', 'verify', path);
      expect(out).toContain(`It needs master key ${current.id}, which is at hand.`);
      expect(out).toContain(
        `Master key ${strange.id} is not at hand. Without it these cannot be opened: what "archive" has sealed.`,
      );
      expect(JSON.parse((await world.paydrop('backup', 'verify', path, '--json')).out)).toMatchObject({
        keys: expect.arrayContaining([
          { id: current.id, isHere: true },
          { id: strange.id, isHere: false },
        ]),
      });
      expect((await runHere(['--dir', join(world.root, 'absent'), 'backup', 'verify', path])).out).toContain(
        `It needs master key ${current.id}.`,
      );
    });

    // A process that uses the ledger stops the restore only after its keys were looked at.
    const BUSY = 'a paydrop process is using it';

    it('restore warns of one that is missing, before anything is replaced', async () => {
      const { status, err } = await world.paydrop('restore', path, '--replace');
      expect(err).toMatch(
        new RegExp(`^Warning: Master key ${strange.id} is not at hand.*: what "archive" has sealed\\. Add a missing`),
      );
      expect([status, err]).toEqual([5, expect.stringContaining(BUSY)]);
      useKeys(textOf(7), (await readFile(world.settings.paths.masterKey, 'utf8')).trim());
      const both = await world.paydrop('restore', path, '--replace');
      expect([both.err.includes('Warning'), both.err.includes(BUSY)]).toEqual([false, true]);
    });

    it('restore refuses when it could open nothing, unless the person knows', async () => {
      useKeys(textOf(9));
      const { err } = await world.paydrop('restore', path, '--replace');
      expect(err).toMatch(/^Cannot restore the backup ".*": Master key .* results of 1 file\. paydrop does not start/);
      expect(err).toContain(
        'Nothing was changed. Add a missing key to the others in PAYDROP_MASTER_KEY. Then try again',
      );
      expect(err).not.toContain(BUSY);
      const known = await world.paydrop('restore', path, '--replace', '--without-keys');
      expect([known.err.startsWith('Warning: '), known.err.includes(BUSY)]).toEqual([true, true]);
      useKeys('none');
      expect((await world.paydrop('restore', path)).err).toContain(
        'Nothing was changed. Cannot take the master key from',
      );
    });
  });
});

let elsewhere: string;

const HERE = hostname();

describe('sender', () => {
  /** This host sends, and so does another, whose journal lies elsewhere. */
  const world = openedForTests(() => openCliWorld({ settings: { senders: [HERE, 'host-b'] } }));
  beforeAll(async () => {
    elsewhere = join(world.root, 'host-b', 'sends.jsonl');
    const journal = await openSendJournal(elsewhere);
    await admit(world.app.ledger, journal, { name: 'host-b', senders: [HERE, 'host-b'] });
    await journal.close();
    await goBack();
  });

  /** Imitates a restart of the database. */
  async function goBack(): Promise<void> {
    await forceSql(world.app, 'UPDATE admission SET run_started = now()');
  }

  it('list says that nothing is sent and who is waited for, and status says the same', async () => {
    await world.paydrop('account', 'list');
    const listed = await world.paydrop('sender', 'list');
    expect(listed.status).toBe(5);
    expect(listed.out).toMatch(/^NOTHING IS SENT: the ledger may be an older copy\.\nWaiting for host host-b/);
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
      out: 'Retired host-b; 0 calls of it are now in the send journal of this host.\n',
    });
    expect((await world.paydrop('sender', 'list')).out).toMatch(/host-b +[\da-f]{8} +retired/);
  });

  it('lost wants a reason, and stops every account', async () => {
    await goBack();
    await rm(elsewhere);
    expect((await world.paydrop('sender', 'lost', 'host-b')).status).not.toBe(0);
    const lost = await world.paydrop('sender', 'lost', 'host-b', '--reason', 'its disk burned');
    expect(lost.status).toBe(5);
    expect(lost.out).toContain('host-b is no longer needed');
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
      out: expect.stringContaining(': the ledger is new, and not every sending host'),
    });
  });
});

it('a set-up link works for a day', async () => {
  const world = await openTestLedger();
  onTestFinished(() => world.close());
  const link = await offerSetUpLink(world.ledger, 'http://127.0.0.1:8420', 'to see');
  const [, token = ''] = /^http:\/\/127\.0\.0\.1:8420\/set-up\/([\w-]{43})$/.exec(link) ?? [];
  world.clock.advance(24 * 3_600_000 - 1);
  expect(await readLink(world.ledger, hashSecretToken(token))).toEqual({ person: null });
  world.clock.advance(1);
  expect(await readLink(world.ledger, hashSecretToken(token))).toBeUndefined();
});
