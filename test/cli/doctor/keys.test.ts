import { chmod, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { destroyedKeys, keyFile, masterKey, openpgp, seals } from '../../../src/cli/doctor/keys.ts';
import { openPatientWorld, WELL } from './support/patient-world.ts';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { cleanStorage, IN_PASSING } from '../../../src/ledger/retention/clean-storage.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import { query } from '../../workers/support/story.ts';
import { resolveSettings } from '../../../src/config/config.ts';
import { configWith } from '../../kernel/support/config-world.ts';
import { makeKey, type TestKey, writeKey } from '../../support/openpgp.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openPatientWorld);

describe('keyFile', () => {
  it('names the key by its id', async () => {
    expect(await world.look(keyFile)).toEqual([{ level: 'ok', found: `key ${world.app.keys.current.id} can be read` }]);
  });

  it('finds one that others may read, and says the command', async () => {
    const path = world.settings.paths.masterKey;
    await chmod(path, 0o644);
    const [finding] = await world.look(keyFile);
    expect(finding).toMatchObject({ level: 'bad', mend: expect.stringContaining(`chmod 600 "${path}"`) });
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
    expect(finding).toMatchObject({ level: 'bad', mend: expect.stringContaining('right key') });
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
    await world.app.ledger.pool.query(`UPDATE sealed_part SET bytes = bytes || '\\x00' WHERE part = 'body'`);
    expect(await world.look(seals)).toMatchObject([{ level: 'bad', mend: expect.stringContaining('backup') }]);
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
      mend: expect.stringContaining('paydrop retention clean'),
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
    expect(own!.mend).toContain('send the public key to every sender');
    expect(sender).toMatchObject({ level: 'bad', mend: expect.stringContaining('Ask the sender') });
  });

  it('finds a key that cannot be read', async () => {
    expect(await look([], [], 1)).toMatchObject([
      { level: 'bad', found: expect.stringContaining('accounts.main.openpgp.key') },
    ]);
  });
});
