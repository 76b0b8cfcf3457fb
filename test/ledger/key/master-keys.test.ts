import { bindForTest } from '../../support/bind-for-test.ts';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  makeKeyCurrent,
  readCurrentKeyId,
  readKeyUses,
  readVaultKey,
  retireKey,
  rewrapAll,
} from '../../../src/ledger/key/master-keys.ts';
import { openTestLedger } from '../../support/ledger-world.ts';
import { masterKeyOf } from '../../support/openpgp.ts';
import { newDataKey, rewrapDataKey } from '../../../src/crypto/data-key.ts';
import { newFingerprintKey, rewrapFingerprintKey } from '../../../src/crypto/fingerprints/fingerprint.ts';
import { newFileId } from '../../../src/kernel/ids.ts';
import { listOriginals, readNewestBody, readOriginals } from '../../../src/ledger/key/read-originals.ts';
import { OF_THIS_DATABASE } from '../../support/force-sql.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

const because = { actor: 'operator:ada', reason: 'once a year' };
const [one, two] = [1, 2].map(masterKeyOf);

async function claim(fill: number): Promise<void> {
  const fileId = newFileId();
  await world.claimed({ fileId, wrappedKey: newDataKey(masterKeyOf(fill), fileId).wrapped });
}

describe('readCurrentKeyId', () => {
  it('is nothing until the keys are changed, then the key that was changed to', async () => {
    expect(await readCurrentKeyId(world.ledger)).toBeUndefined();
    await makeKeyCurrent(world.ledger, two!.id, because);
    expect(await readCurrentKeyId(world.ledger)).toBe(two!.id);
  });
});

describe('readKeyUses', () => {
  it('counts what each key wraps, and names those that wrap nothing', async () => {
    await claim(1);
    await claim(1);
    await world.ledger.pool.query('INSERT INTO vault_key VALUES ($1, $2)', ['fingerprint', newFingerprintKey(one!)]);
    expect(await readKeyUses(world.ledger)).toEqual(
      [
        { id: one!.id, files: 2, others: 1, isCurrent: false, retiredAt: null },
        { id: two!.id, files: 0, others: 0, isCurrent: true, retiredAt: null },
      ].sort((a, b) => (a.id < b.id ? -1 : 1)),
    );
  });

  it('does not count a key that was destroyed', async () => {
    await world.ledger.pool.query('DELETE FROM file_secret');
    const uses = await readKeyUses(world.ledger);
    expect(uses.find(({ id }) => id === one!.id)).toMatchObject({ files: 0, others: 1 });
  });
});

describe('readVaultKey', () => {
  beforeAll(() => world.empty());

  it('makes a key at the first call and gives the same one ever after', async () => {
    let made = 0;
    const make = () => Buffer.from([255, 0, (made += 1)]);
    expect(await readVaultKey(world.ledger, 'fingerprint', make)).toEqual(Buffer.from([255, 0, 1]));
    expect(await readVaultKey(world.ledger, 'fingerprint', make)).toEqual(Buffer.from([255, 0, 1]));
    expect(made).toBe(1);
  });

  it('keeps a key for each name', async () => {
    await readVaultKey(world.ledger, 'one', () => Buffer.from('1'));
    expect(await readVaultKey(world.ledger, 'two', () => Buffer.from('2'))).toEqual(Buffer.from('2'));
  });

  it('gives all who come first at the same moment one key', async () => {
    const keys = await Promise.all(
      Array.from({ length: 10 }, (_, index) => readVaultKey(world.ledger, 'shared', () => Buffer.from([index]))),
    );
    expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(1);
  });
});

describe('read originals', () => {
  beforeEach(() => world.empty());

  describe('readOriginals', () => {
    it('knows those that are there', async () => {
      const file = await world.claimed();
      expect(await readOriginals(world.ledger, [file.file_id, 'nobody'])).toMatchObject([
        { file_id: file.file_id, state: 'claimed', archive: file.archive, wrapped_key: Buffer.from('wrapped') },
      ]);
    });
  });

  describe('listOriginals', () => {
    it('goes through all that have a key, slice by slice', async () => {
      const files = [await world.claimed(), await world.claimed(), await world.claimed(), await world.claimed()];
      await world.force('DELETE FROM file_secret WHERE file_id = $1', [files[1]!.file_id]);
      const slices: string[][] = [];
      for await (const slice of listOriginals(world.ledger, 'main', 2)) slices.push(slice.map((row) => row.file_id));
      expect(slices).toEqual([[files[0]!.file_id, files[2]!.file_id], [files[3]!.file_id]]);
    });
  });

  describe('readNewestBody', () => {
    it('gives the last batch of the last file', async () => {
      expect(await readNewestBody(world.ledger)).toBeUndefined();
      await world.accepted();
      const file = await world.accepted({ batches: 2 });
      await world.claimed();
      expect(await readNewestBody(world.ledger)).toEqual({
        fileId: file.file_id,
        batchNo: 2,
        wrapped: Buffer.from('wrapped'),
        sealed: Buffer.from('sealed body 2'),
      });
    });
  });
});

describe('retireKey', () => {
  const one = masterKeyOf(1);
  afterEach(() => world.empty());
  const claim = () => {
    const fileId = newFileId();
    return world.claimed({ fileId, wrappedKey: newDataKey(one, fileId).wrapped });
  };
  const refused = () => expect(retireKey(world.ledger, one.id, because)).rejects.toMatchObject({ code: 'KEY_IN_USE' });

  it('refuses while a file is wrapped with it', async () => {
    await claim();
    await refused();
  });

  it('refuses while a key that outlives files is wrapped with it', async () => {
    await world.ledger.pool.query('INSERT INTO vault_key VALUES ($1, $2)', ['fingerprint', newFingerprintKey(one)]);
    await refused();
  });

  it('refuses the current key', async () => {
    await makeKeyCurrent(world.ledger, one.id, because);
    await refused();
  });

  it('bars it for ever: the database takes nothing that is wrapped with it', async () => {
    const other = await world.claimed();
    await retireKey(world.ledger, one.id, because);
    await retireKey(world.ledger, one.id, because);
    expect(await readKeyUses(world.ledger)).toContainEqual(
      expect.objectContaining({ id: one.id, retiredAt: world.clock.now() }),
    );
    await expect(claim()).rejects.toMatchObject({ code: 'PD004' });
    const query = (sql: string, values: unknown[]) => world.ledger.pool.query(sql, values);
    await expect(
      query('UPDATE file_secret SET wrapped_key = $2 WHERE file_id = $1', [
        other.file_id,
        newDataKey(one, 'x').wrapped,
      ]),
    ).rejects.toMatchObject({ code: 'PD004' });
    await expect(query('INSERT INTO vault_key VALUES ($1, $2)', ['a', newFingerprintKey(one)])).rejects.toMatchObject({
      code: 'PD004',
    });
    const { rows } = await world.ledger.pool.query(`SELECT evidence FROM audit WHERE move = 'retire-key'`);
    expect(rows).toEqual([{ evidence: { key: one.id } }]);
  });

  it('waits for a file that is being taken in, and counts it', async () => {
    await bindForTest(world.ledger, 'a');
    const client = await world.ledger.pool.connect();
    await client.query('BEGIN');
    const fileId = newFileId();
    await client.query(
      `WITH taken AS (
         INSERT INTO file (file_id, account, folder, operation, name, state, state_at, bytes, sha256, completeness, claimed_at,
                           archive, charset, output_form, seen_at, known_at, merchant_no)
         VALUES ($1, 'a', 'f', 'card', 'n', 'claimed', now(), 1, 's', 'quiet', now(), 'a', 'utf-8', '{}', now(), now(),
                 merchant_of('a')))
       INSERT INTO file_secret (file_id, wrapped_key) VALUES ($1, $2)`,
      [fileId, newDataKey(one, fileId).wrapped],
    );
    const retiring = refused();
    await expect
      .poll(async () => {
        const { rows } = await world.ledger.pool.query(
          `SELECT FROM pg_locks WHERE NOT granted AND mode = 'ShareRowExclusiveLock' AND ${OF_THIS_DATABASE}`,
        );
        return rows.length;
      })
      .toBe(1);
    await client.query('COMMIT');
    client.release();
    await retiring;
  });
});

describe('rewrap keys', () => {
  const [one, two] = [1, 2].map(masterKeyOf) as [ReturnType<typeof masterKeyOf>, ReturnType<typeof masterKeyOf>];

  const REWRAP = {
    file: (fileId: string, wrapped: Buffer) => rewrapDataKey(one, two, fileId, wrapped),
    vault: (_: string, wrapped: Buffer) => rewrapFingerprintKey(one, two, wrapped),
  };

  afterEach(() => world.empty());

  async function claim(): Promise<string> {
    const fileId = newFileId();
    await world.claimed({ fileId, wrappedKey: newDataKey(one, fileId).wrapped });
    return fileId;
  }

  const moves = async () =>
    (await world.ledger.pool.query(`SELECT move, evidence FROM audit WHERE move LIKE '%key%' ORDER BY seq`)).rows;

  describe('makeKeyCurrent', () => {
    it('names one key, from which and to which stands in the trail, and may be repeated', async () => {
      expect(await makeKeyCurrent(world.ledger, one.id, because)).toBe(true);
      expect(await makeKeyCurrent(world.ledger, two.id, because)).toBe(true);
      expect(await makeKeyCurrent(world.ledger, two.id, because)).toBe(false);
      expect(await readCurrentKeyId(world.ledger)).toBe(two.id);
      expect(await moves()).toEqual([
        { move: 'change-key', evidence: { to: one.id, from: null } },
        { move: 'change-key', evidence: { to: two.id, from: one.id } },
      ]);
    });
  });

  describe('rewrapAll', () => {
    it('wraps everything anew, more than fits into one transaction, and says so once', async () => {
      await claim();
      await world.ledger.pool.query('INSERT INTO vault_key VALUES ($1, $2)', ['fingerprint', newFingerprintKey(one)]);
      // Copies one file under other ids. A key opens only for its own file, so each copy gets a new one.
      const ids = Array.from({ length: 401 }, newFileId);
      await world.force(
        `WITH n AS (SELECT * FROM unnest($1::text[], $2::bytea[]) AS n (id, wrapped)), taken AS (
         INSERT INTO file (file_id, account, folder, operation, name, state, state_at, bytes, sha256, completeness, claimed_at,
                           archive, charset, output_form, seen_at, known_at, merchant_no)
         SELECT n.id, 'many', 'f', 'card', n.id, 'claimed', now(), 1, n.id, 'quiet', now(), 'a', 'utf-8', '{}', now(), now(), 1
         FROM n)
       INSERT INTO file_secret (file_id, wrapped_key) SELECT id, wrapped FROM n`,
        [ids, ids.map((id) => newDataKey(one, id).wrapped)],
      );
      expect(await rewrapAll(world.ledger, two.id, REWRAP, because)).toBe(403);
      expect(await readKeyUses(world.ledger)).toMatchObject([{ id: two.id, files: 402, others: 1 }]);
      expect(await moves()).toEqual([{ move: 'rewrap-keys', evidence: { to: two.id, keys: 403 } }]);
      expect(await rewrapAll(world.ledger, two.id, REWRAP, because)).toBe(0);
      expect(await moves()).toHaveLength(1);
    });

    it('leaves a key that was destroyed alone', async () => {
      const fileId = await claim();
      await world.ledger.pool.query('DELETE FROM file_secret');
      expect(await rewrapAll(world.ledger, two.id, REWRAP, because)).toBe(0);
      expect(fileId).toHaveLength(16);
    });

    it('changes nothing of a transaction in which a key cannot be opened', async () => {
      await claim();
      const broken = newFileId();
      await world.claimed({ fileId: broken, wrappedKey: newDataKey(masterKeyOf(3), broken).wrapped });
      await expect(rewrapAll(world.ledger, two.id, REWRAP, because)).rejects.toMatchObject({
        code: 'MASTER_KEY_WRONG',
      });
      expect((await readKeyUses(world.ledger)).map((use) => use.id).sort()).toEqual([one.id, masterKeyOf(3).id].sort());
    });
  });
});
