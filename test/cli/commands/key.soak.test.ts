import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { openCliWorld } from '../support/cli-world.ts';
import { rotateKey } from '../../../src/cli/commands/key.ts';
import { newFileId } from '../../../src/kernel/ids.ts';
import { readKeyUses, retireKey } from '../../../src/ledger/key/master-keys.ts';
import { newTotpSecret, openTotpSecret } from '../../../src/crypto/totp.ts';
import { beginFactor, readFactor } from '../../../src/ledger/person/second-factor.ts';
import { newDataKey, unwrapDataKey } from '../../../src/crypto/data-key.ts';
import { loadMasterKeys } from '../../../src/crypto/master-key.ts';
import { openTestLedger } from '../../support/ledger-world.ts';
import { masterKeyOf, textOf } from '../../support/openpgp.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

let old = '';

type Listed = { keys: { id: string; files: number; others: number; isCurrent: boolean; isHere: boolean }[] };

describe('key', () => {
  const world = openedForTests(openCliWorld);
  beforeAll(async () => {
    old = world.app.keys.current.id;
    await world.drop('card', 'june.csv', lines([cardRow(1)]));
    await world.finish();
  });
  const list = async () => (JSON.parse((await world.paydrop('key', 'list', '--json')).out) as Listed).keys;

  it('key list names the keys and what they wrap, and never a key', async () => {
    expect(await list()).toEqual([{ id: old, files: 1, others: 1, isCurrent: true, isHere: true, retiredAt: null }]);
    const { out, err } = await world.paydrop('key', 'list');
    expect(out).toMatch(new RegExp(`^${old} +current +yes +1 +1$`, 'm'));
    expect(out + err).not.toContain((await readFile(world.settings.paths.masterKey, 'utf8')).trim().slice(0, 12));
  });

  it('key rotate changes the key under a process that goes on, which opens old files and wraps new ones with it', async () => {
    const out = await world.says('key', 'rotate');
    const [, fresh = ''] =
      /^Master key ([0-9a-f]{8}) is the current one; 2 keys were wrapped again\.$/m.exec(out) ?? [];
    expect(fresh).not.toBe(old);
    await world.drop('card', 'july.csv', lines([cardRow(2)]));
    await world.finish();
    expect((await list()).find((key) => key.id === fresh)).toMatchObject({ files: 2, others: 1, isCurrent: true });
    expect(await world.paydrop('rebuild-outputs', 'june.csv')).toMatchObject({ status: 0 });
  });

  describe('key retire', () => {
    it('refuses the current key and one that nobody knows', async () => {
      const current = (await list()).find((key) => key.isCurrent)!;
      expect(await world.paydrop('key', 'retire', current.id)).toMatchObject({ status: 5, out: '' });
      expect(await world.paydrop('key', 'retire', '00000000')).toMatchObject({ status: 1, out: '' });
    });

    it('takes the old key out of its file, and may be repeated', async () => {
      const { status, out } = await world.paydrop('key', 'retire', old);
      expect(status).toBe(0);
      expect(out).toContain('Keep a copy for as long as you may need to restore an older backup');
      expect((await readFile(world.settings.paths.masterKey, 'utf8')).trim().split('\n')).toHaveLength(1);
      expect(JSON.parse((await world.paydrop('key', 'retire', old, '--json')).out)).toEqual({
        retired: old,
        removedFromFile: false,
      });
      expect(await world.paydrop('rebuild-outputs', 'june.csv')).toMatchObject({ status: 0 });
    });
  });
});

const because = { actor: 'operator:ada', reason: 'once a year' };
const [one, two] = [1, 2].map(masterKeyOf);
let folder = '';
let path = '';
let fileId = '';

const place = () => ({ kind: 'file', path }) as const;
const write = (...fills: number[]) =>
  writeFile(path, fills.map((fill) => `${textOf(fill)}\n`).join(''), { mode: 0o600 });

describe('rotateKey', () => {
  const world = openedForTests(openTestLedger);
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'paydrop-rotate-'));
    path = join(folder, 'key');
    fileId = newFileId();
    await world.claimed({ fileId, wrappedKey: newDataKey(one!, fileId).wrapped });
  });
  afterEach(async () => {
    await world.empty();
    await rm(folder, { recursive: true });
  });
  const usesOf = async () =>
    (await readKeyUses(world.ledger)).map(({ id, files, isCurrent }) => ({ id, files, isCurrent }));

  it('puts a new key first into the file, keeps the old one, and wraps everything with the new one', async () => {
    await write(1);
    const { current, rewrapped, isNew } = await rotateKey(world.ledger, place(), because);
    expect({ rewrapped, isNew }).toEqual({ rewrapped: 1, isNew: true });
    const keys = loadMasterKeys(place());
    expect(keys.map((key) => key.id)).toEqual([current, one!.id]);
    const { rows } = await world.ledger.pool.query<{ wrapped_key: Buffer }>('SELECT wrapped_key FROM file_secret');
    expect(unwrapDataKey(keys[0]!, fileId, rows[0]!.wrapped_key).fileId).toBe(fileId);
    expect(await usesOf()).toEqual([{ id: current, files: 1, isCurrent: true }]);
  });

  it('wraps the second factors of users too, each for its user', async () => {
    await write(1);
    await world.force(
      `INSERT INTO person (name, role, made_at) VALUES ('ann', 'admin', now()), ('bob', 'admin', now())`,
    );
    const before = new Map<string, string>();
    for (const person of ['ann', 'bob']) {
      const wrapped = newTotpSecret(one!, person);
      before.set(person, openTotpSecret(one!, person, wrapped).toString('hex'));
      await beginFactor(world.ledger, person, wrapped);
    }
    await rotateKey(world.ledger, place(), because);
    const [fresh] = loadMasterKeys(place());
    for (const person of ['ann', 'bob']) {
      const { wrapped } = (await readFactor(world.ledger, person))!;
      expect(openTotpSecret(fresh!, person, wrapped).toString('hex')).toBe(before.get(person));
    }
    await retireKey(world.ledger, one!.id, because);
  });

  it('takes the key that was put first by hand, and makes none', async () => {
    await write(2, 1);
    expect(await rotateKey(world.ledger, place(), because)).toEqual({ current: two!.id, rewrapped: 1, isNew: false });
    expect(loadMasterKeys(place())).toHaveLength(2);
  });

  it('twice at the same moment loses no key', async () => {
    await write(1);
    const other = await world.openAgain();
    await Promise.all([rotateKey(world.ledger, place(), because), rotateKey(other, place(), because)]);
    const ids = loadMasterKeys(place()).map((key) => key.id);
    expect(ids).toHaveLength(3);
    expect(await usesOf()).toContainEqual({ id: ids[0], files: 1, isCurrent: true });
  });

  it.each([
    ['environment', (env: NodeJS.ProcessEnv) => ({ kind: 'environment', name: 'K', env }) as const],
    [
      'command',
      (env: NodeJS.ProcessEnv) => ({ kind: 'command', words: [process.execPath, '-p', 'process.env.K'], env }) as const,
    ],
  ])('from the %s wants the new key given, and then takes it', async (_, placeOf) => {
    await expect(rotateKey(world.ledger, placeOf({ K: textOf(1) }), because)).rejects.toThrow('has no new key');
    const rotated = await rotateKey(world.ledger, placeOf({ K: `${textOf(2)},${textOf(1)}` }), because);
    expect(rotated).toEqual({ current: two!.id, rewrapped: 1, isNew: false });
  });

  it('changes nothing when a key that wraps something is missing', async () => {
    await write(3, 2);
    const before = await readFile(path, 'utf8');
    await expect(rotateKey(world.ledger, place(), because)).rejects.toMatchObject({ code: 'MASTER_KEY_WRONG' });
    expect(await readFile(path, 'utf8')).toBe(before);
    expect(await usesOf()).toEqual([{ id: one!.id, files: 1, isCurrent: false }]);
  });

  it('does not go back to a retired key', async () => {
    await write(2, 1);
    await rotateKey(world.ledger, place(), because);
    await retireKey(world.ledger, one!.id, because);
    await write(1, 2);
    await expect(rotateKey(world.ledger, place(), because)).rejects.toThrow('it is retired');
    expect(await usesOf()).toContainEqual({ id: two!.id, files: 1, isCurrent: true });
  });
});
