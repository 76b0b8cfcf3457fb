import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openpgp } from '../../../src/cli/doctor/keys.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import { resolveSettings } from '../../../src/config/config.ts';
import { configWith } from '../../kernel/support/config-world.ts';
import { makeKey, type TestKey, writeKey } from '../../support/openpgp.ts';

const DAY_S = 86_400;
const START = new Date('2026-06-15T10:00:00.000Z');

let dir: string;
let lasting: TestKey;
let ending: TestKey;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'paydrop-doctor-openpgp-'));
  lasting = await makeKey({ date: START });
  ending = await makeKey({ date: START, seconds: 100 * DAY_S });
});
afterAll(() => rm(dir, { recursive: true }));

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
  it('has nothing to say where no account has keys', async () => {
    const settings = resolveSettings(configWith({}), dir, {});
    expect(await openpgp.look({ settings, env: {}, clock: handClock(START.toISOString()) } as never)).toEqual([]);
  });

  it('names the keys that can be used, so that a sender can compare', async () => {
    expect(await look([lasting, ending], [ending], 1)).toEqual([
      { level: 'ok', found: `account main: our key ${nameOf(lasting)} can be used and does not expire` },
      { level: 'ok', found: `account main: our former key ${nameOf(ending)} opens what is still encrypted for it` },
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
