import { chmod, mkdir, mkdtemp, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { destroyedKeys, keyFile, masterKey, openpgp, seals } from '../../../src/cli/doctor/keys.ts';
import { openPatientWorld, WELL } from '../support/cli-world.ts';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { cleanStorage, IN_PASSING } from '../../../src/ledger/retention/clean-storage.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import { query } from '../../workers/support/story.ts';
import { resolveSettings } from '../../../src/config/config.ts';
import { configWith } from '../../kernel/support/config-world.ts';
import { makeKey, type TestKey, writeKey } from '../../support/openpgp.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { failing, quarantine, temporaries, workFolders } from '../../../src/cli/doctor/work.ts';
import { newFileId } from '../../../src/kernel/ids.ts';
import { claimForTest } from '../../support/claim-for-test.ts';
import { forceSql } from '../../support/force-sql.ts';
import { claimOf } from '../../support/ledger-world.ts';
import { ERRORS } from '../../../schemas/errors.ts';
import { WORK } from '../../../schemas/jobs.ts';
import { stepText } from '../../../schemas/steps.ts';
import { checksOf } from '../../../src/cli/doctor/doctor.ts';
import { noteFailure } from '../../../src/ledger/alarm/note-failure.ts';
import { FEATURES } from '../../../src/features.ts';

const world = openedForTests(openPatientWorld);

describe('keys', () => {
  describe('keyFile', () => {
    it('names the key by its id', async () => {
      expect(await world.look(keyFile)).toEqual([
        { level: 'ok', found: `key ${world.app.keys.current.id} can be read` },
      ]);
    });

    it('finds one that others may read, and says the command', async () => {
      const path = world.settings.paths.masterKey;
      await chmod(path, 0o644);
      const [finding] = await world.look(keyFile);
      expect(finding).toMatchObject({ level: 'bad', remedy: expect.stringContaining(`chmod 600 "${path}"`) });
      await chmod(path, 0o600);
    });

    it('finds a key of the environment that is none, and does not say it', async () => {
      const [finding] = await world.look(keyFile, { env: { PAYDROP_MASTER_KEY: 'hunter2' } });
      expect(finding).toMatchObject({ level: 'bad' });
      expect(JSON.stringify(finding)).not.toContain('hunter2');
    });
  });

  describe('masterKey', () => {
    it('names the key that is the one of the ledger', async () => {
      expect(await world.look(masterKey)).toEqual([
        { level: 'ok', found: `key ${world.app.keys.current.id} can be read and belongs to this ledger` },
      ]);
    });

    it('finds that it is another', async () => {
      const env = { PAYDROP_MASTER_KEY: Buffer.alloc(32, 9).toString('base64') };
      const [finding] = await world.look(masterKey, { env });
      expect(finding).toMatchObject({ level: 'bad', remedy: expect.stringContaining('right key') });
      expect(finding!.found).toContain(`it needs master key ${world.app.keys.current.id}`);
      expect(JSON.stringify(finding)).not.toContain(env.PAYDROP_MASTER_KEY);
    });

    it('finds that it is missing', async () => {
      const path = world.settings.paths.masterKey;
      await rename(path, `${path}.away`);
      expect(await world.look(masterKey)).toMatchObject([{ level: 'bad', found: expect.stringContaining('missing') }]);
      await rename(`${path}.away`, path);
    });
  });

  describe('seals', () => {
    it('has nothing to open at first, and then opens what was sealed last', async () => {
      expect(await world.look(seals)).toEqual([{ level: 'ok', found: 'nothing is sealed yet' }]);
      await world.drop('card', 'monday.csv', lines([cardRow(1)]));
      await world.finish();
      expect(await world.look(seals)).toMatchObject([
        { level: 'ok', found: expect.stringMatching(/\/1, the newest, can/) },
      ]);
    });

    it('finds sealed bytes that were changed', async () => {
      await forceSql(world.app, `UPDATE sealed_part SET bytes = bytes || '\\x00' WHERE part = 'body'`);
      expect(await world.look(seals)).toMatchObject([{ level: 'bad', remedy: expect.stringContaining('backup') }]);
    });
  });

  describe('destroyedKeys', () => {
    beforeAll(async () => {
      // The file of the tests above.
      await query(world.app, 'DELETE FROM file_secret');
      await query(world.app, 'UPDATE file SET shredded_at = now(), fingerprints_dropped_at = now()');
    });

    it('warns of what is not cleaned for a day, with the reason, and is well afterwards', async () => {
      const { ledger, clock } = world.app;
      await cleanStorage(ledger, { ...IN_PASSING, mostBytes: 0 });
      expect(await world.look(destroyedKeys)).toEqual(WELL);
      const tomorrow = { clock: handClock(new Date(clock.now().getTime() + 86_400_001)) };
      const findings = await world.look(destroyedKeys, tomorrow);
      expect(findings.map(({ level }) => level)).toEqual(['warn', 'warn']);
      expect(findings[0]).toMatchObject({
        found: expect.stringMatching(/destroyed keys of 1 file since .*: at 1 MB the table is too large/),
        remedy: expect.stringContaining('paydrop retention clean'),
      });
      await cleanStorage(ledger);
      expect(await world.look(destroyedKeys, tomorrow)).toEqual(WELL);
    });
  });

  const DAY_S = 86_400;
  const START = new Date('2026-06-15T10:00:00.000Z');

  let dir: string;
  let lasting: TestKey;
  let ending: TestKey;

  async function look(own: TestKey[], senders: TestKey[], days: number) {
    const texts = own.map((key) => key.privateKey.armor()).join('\n');
    const config = {
      key: await writeKey(dir, 'own.asc', texts || 'no key'),
      senders: await Promise.all(senders.map((key, at) => writeKey(dir, `sender-${at}.asc`, key.publicKey.armor()))),
    };
    const settings = resolveSettings(configWith({ account: { openpgp: config } }), dir, {});
    const clock = handClock(new Date(START.getTime() + days * DAY_S * 1_000).toISOString());
    return openpgp.look({ settings, env: {}, clock } as never);
  }

  const nameOf = (key: TestKey) => key.publicKey.getFingerprint().toUpperCase();

  describe('openpgp', () => {
    beforeAll(async () => {
      dir = await mkdtemp(join(tmpdir(), 'paydrop-doctor-openpgp-'));
      lasting = await makeKey({ date: START });
      ending = await makeKey({ date: START, seconds: 100 * DAY_S });
    });
    afterAll(() => rm(dir, { recursive: true }));

    it('has nothing to say where no account has keys', async () => {
      const settings = resolveSettings(configWith({}), dir, {});
      expect(await openpgp.look({ settings, env: {}, clock: handClock(START.toISOString()) } as never)).toEqual([]);
    });

    it('names the keys that can be used, so that a sender can compare', async () => {
      expect(await look([lasting, ending], [ending], 1)).toEqual([
        { level: 'ok', found: `account main: our key ${nameOf(lasting)} can be used and does not expire` },
        { level: 'ok', found: `account main: our former key ${nameOf(ending)} opens messages still encrypted for it` },
        {
          level: 'ok',
          found: expect.stringContaining(`account main: a sender's key ${nameOf(ending)} expires at 2026-09-23T10:00`),
        },
      ]);
    });

    it('warns 30 days before the end of a key and complains after it', async () => {
      expect((await look([ending], [ending], 71)).map(({ level }) => level)).toEqual(['warn', 'warn']);
      const [own, sender] = await look([ending], [ending], 101);
      expect(own).toMatchObject({ level: 'bad', found: expect.stringContaining('expired or revoked') });
      expect(own!.remedy).toContain('send the public key to every sender');
      expect(sender).toMatchObject({ level: 'bad', remedy: expect.stringContaining('Ask the sender') });
    });

    it('finds a key that cannot be read', async () => {
      expect(await look([], [], 1)).toMatchObject([
        { level: 'bad', found: expect.stringContaining('accounts.main.openpgp.key') },
      ]);
    });
  });
});

describe('work', () => {
  async function lay(name: string): Promise<void> {
    await mkdir(join(world.settings.folders[0]!.work, name), { recursive: true });
  }

  /** The tests build on each other. */
  describe('quarantine', () => {
    it('is well when it is empty, or it was never made', async () => {
      expect(await world.look(quarantine)).toEqual(WELL);
      const paths = { ...world.settings.paths, quarantine: join(world.root, 'nowhere') };
      expect(await world.look(quarantine, { settings: { ...world.settings, paths } })).toEqual(WELL);
    });

    it('names each drop with its reason and what to do', async () => {
      await symlink('/dev/null', join(world.settings.folders[0]!.path, 'link.csv'));
      await world.finish();
      expect(await world.look(quarantine)).toEqual([
        {
          level: 'warn',
          found: expect.stringMatching(/^[0-9a-z]{16}: "link\.csv" from \S+ since \S+Z: DROP_SYMLINK$/),
          remedy: `${ERRORS.DROP_SYMLINK.remedy} Tell the sender, then remove its folder in quarantine.`,
        },
      ]);
    });

    it('names one without a reason, and counts what is too many to name', async () => {
      const root = world.settings.paths.quarantine;
      await rm(root, { recursive: true });
      for (let n = 0; n < 22; n += 1) await mkdir(join(root, `drop-${n}`), { recursive: true });
      const findings = await world.look(quarantine);
      expect(findings).toHaveLength(21);
      expect(findings[0]!.found).toMatch(/^drop-\d+: its reason\.json cannot be read$/);
      expect(findings[20]!.found).toBe(`and 2 more in "${root}"`);
    });
  });

  /** The tests build on each other. */
  describe('workFolders', () => {
    it('is well when they match the claims in the ledger', async () => {
      expect(await world.look(workFolders)).toEqual(WELL);
      const claim = claimOf();
      await claimForTest(world.app.ledger, claim);
      await lay(claim.fileId);
      expect(await world.look(workFolders)).toEqual(WELL);
      await forceSql(world.app, `UPDATE file SET state = 'completed'`);
      expect(await world.look(workFolders)).toMatchObject([
        { level: 'warn', found: expect.stringMatching(new RegExp(`^1 in ".*" and decided: ${claim.fileId}$`)) },
      ]);
    });

    it('names what the ledger does not know, and what is no claim', async () => {
      const fileId = newFileId();
      await lay(fileId);
      await lay('a stranger');
      const found = (await world.look(workFolders)).map((finding) => finding.found).join('\n');
      expect(found).toContain(`and not in the ledger: ${fileId}`);
      expect(found).toContain('an entry that is not a claim');
      expect(found).not.toContain('stranger');
    });
  });

  /** The tests build on each other. */
  describe('temporaries', () => {
    it('spares what may still be written', async () => {
      await writeFile(join(world.settings.paths.out, '.a.csv.0123456789abcdef.tmp'), '');
      expect(await world.look(temporaries)).toEqual(WELL);
    });

    it('finds what a process has left, and leaves it', async () => {
      const path = join(world.settings.paths.out, '.a.csv.0123456789abcdef.tmp');
      await utimes(path, 0, 0);
      const findings = [
        { level: 'warn', found: `1 unfinished in "${world.settings.paths.out}"`, remedy: expect.any(String) },
      ];
      expect(await world.look(temporaries)).toEqual(findings);
      expect(await world.look(temporaries)).toEqual(findings);
    });

    it('finds drafts in the archive', async () => {
      const day = join(world.settings.paths.archive, '2026', '06', '15');
      await mkdir(day, { recursive: true });
      await writeFile(join(day, `.${newFileId()}.sealed.0123456789ab.part`), '');
      const found = (await world.look(temporaries)).map((finding) => finding.found);
      expect(found).toContain('1 unfinished in the archive');
    });
  });

  it('failing is well when nothing fails, and names what does with what helps', async () => {
    expect(await world.look(failing)).toEqual(WELL);
    const item = { work: 'push', subject: 'bank:/in' } as const;
    for (let n = 0; n < 3; n += 1) await noteFailure(world.app.ledger, item, { reason: 'refused' }, 1_000);
    expect(await world.look(failing)).toEqual([
      {
        level: 'bad',
        found: 'Cannot upload output files to bank:/in: failed 3 times: refused',
        remedy: 'See the line SFTP servers; the output files stay here.',
      },
    ]);
  });

  it.each(Object.entries(WORK))('a next step of %s that needs doctor names lines of it', async (_work, { next }) => {
    const text = stepText(next);
    if (!text.includes('paydrop doctor')) return;
    const [, lines = ''] = /the lines? ([^.;]*) of "paydrop doctor"/.exec(text) ?? [];
    const names = (await checksOf({ features: FEATURES }))
      .filter(({ name }) => name !== 'Work')
      .map(({ name }) => name);
    for (const line of lines.split(/, | and /)) expect(names).toContain(line);
  });
});
