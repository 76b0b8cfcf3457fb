import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openedForTests } from '../../support/opened-for-tests.ts';
import type { FileState } from '../../../schemas/lifecycle.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { readFileRow } from '../../../src/ledger/file/read-file.ts';
import { addApiToken, revokeApiToken } from '../../../src/ledger/person/api-tokens.ts';
import { invitePerson } from '../../../src/ledger/person/invite-person.ts';
import {
  CLEANING_PLACE,
  readCleaning,
  readDatabaseState,
  readOpenCleanings,
} from '../../../src/ledger/retention/clean-storage.ts';
import {
  dropFingerprints,
  findDueShreds,
  findExpiring,
  readShredded,
  readShredStates,
  shredFile,
} from '../../../src/ledger/retention/retention.ts';
import { openTestLedger, START } from '../../support/ledger-world.ts';

const world = openedForTests(openTestLedger);

const DAY_MS = 86_400_000;

afterEach(() => world.empty());
/** Makes a file that ended at the start of the world, with nothing open. */
async function ended(state: FileState = 'completed'): Promise<FileRow> {
  const file = await world.accepted();
  await world.putBatch({ fileId: file.file_id, batchNo: 1 }, 'reconciled');
  await world.force('UPDATE file SET state_at = $2 WHERE file_id = $1', [file.file_id, START]);
  for (const kind of ['cancelled', 'nak', 'summary-txt'])
    await world.force(
      `INSERT INTO output (file_id, kind, name, sha256, bytes, rows, written_at) VALUES ($1, $2, $2, 'x', 1, 0, now())`,
      [file.file_id, kind],
    );
  return world.putFile(file.file_id, state);
}

const due = async (others = 10, byAccount: Record<string, number> = {}) =>
  (await findDueShreds(world.ledger, { byAccount, others }, { limit: 10 })).map((file) => file.file_id);

describe('findDueShreds', () => {
  it.each(['completed', 'cancelled', 'partly_cancelled', 'rejected'] as const)(
    'finds a %s file when its days are over, and not a moment before',
    async (state) => {
      const file = await ended(state);
      world.clock.advance(10 * DAY_MS - 1);
      expect(await due()).toEqual([]);
      world.clock.advance(1);
      expect(await due()).toEqual([file.file_id]);
    },
  );

  it('believes the later of two clocks, of what has happened, and the slower one, of the present', async () => {
    const file = await ended();
    world.clock.advance(400 * DAY_MS);
    world.wrongBy.database = -400 * DAY_MS;
    expect(await due()).toEqual([]);
    world.clock.advance(-800 * DAY_MS);
    world.wrongBy.database = 800 * DAY_MS;
    expect(await due()).toEqual([]);
    world.clock.advance(400 * DAY_MS);
    world.wrongBy.database = 0;
    await world.force(`UPDATE file SET state_at = state_at - interval '400 days'`);
    expect(await due()).toEqual([]);
    world.clock.advance(10 * DAY_MS);
    expect(await due()).toEqual([file.file_id]);
  });

  it.each(['claimed', 'held', 'accepted', 'in_progress'] as const)('never finds a %s file', async (state) => {
    await ended(state);
    world.clock.advance(1_000 * DAY_MS);
    expect(await due()).toEqual([]);
  });

  it('takes the days of each account, and 0 for never', async () => {
    const [short, long, never, gone] = [await ended(), await ended(), await ended(), await ended()];
    world.clock.advance(10 * DAY_MS);
    const days = { [short.account]: 5, [long.account]: 11, [never.account]: 0 };
    expect((await due(10, days)).sort()).toEqual([short.file_id, gone.file_id].sort());
    expect(await due(0, days)).toEqual([short.file_id]);
  });

  it.each([
    ['a batch in doubt', `UPDATE batch SET state = 'unknown'`],
    ['a result that is asked for again', `UPDATE batch SET next_recheck_at = now()`],
    ['a missing notice', `DELETE FROM output`],
    [
      'a proposal',
      `INSERT INTO proposal (action, file_id, binding, reason, evidence, made_by, made_at)
       SELECT 'approve', file_id, '{}', 'r', '{}', 'ada', now() FROM file`,
    ],
    [
      'a correction that is not written',
      `INSERT INTO output (file_id, kind, name, sha256, bytes, rows, written_at)
       SELECT file_id, 'result', 'r', 'x', 1, 0, now() FROM file;
       INSERT INTO row_change SELECT file_no, 2, 1, 'declined', 1, 'm', 'a', now(), 's' FROM file`,
    ],
  ])('waits for %s', async (_, sql) => {
    await ended('cancelled');
    world.clock.advance(11 * DAY_MS);
    expect(await due()).toHaveLength(1);
    await world.force(sql);
    expect(await due()).toEqual([]);
  });
});

describe('readShredded and readShredStates', () => {
  it('name what is left of a file whose key was destroyed', async () => {
    const clean = await ended();
    await ended();
    await world.force('UPDATE file SET shredded_at = $1', [START]);
    await world.force('DELETE FROM file_secret WHERE file_id = $1', [clean.file_id]);
    await world.force('DELETE FROM sealed_part WHERE file_id = $1', [clean.file_id]);
    await world.force('DELETE FROM row_fingerprint WHERE file_no = $1', [clean.file_no]);
    const found = await readShredded(world.ledger, new Date(START), new Date(Date.parse(START) + 1));
    expect(found.map((file) => file.leftOver)).toEqual([[], ['data key', 'sealed batches', 'fingerprints']]);
    expect(await readShredded(world.ledger, new Date(0), new Date(START))).toEqual([]);
    const states = await readShredStates(world.ledger, [clean.file_id, 'nobody']);
    expect([...states]).toEqual([[clean.file_id, true]]);
  });
});

describe('readCleaning', () => {
  it('never calls clean what nothing is known of', () => {
    expect(readCleaning(null)).toEqual({ cleanedAt: null, why: 'not tried yet', logOverAt: null });
    expect(readCleaning({ cleanedAt: null, why: null, logOverAt: null })).toMatchObject({ why: 'not tried yet' });
    expect(readCleaning({ cleanedAt: null, why: 'busy', logOverAt: null })).toMatchObject({ why: 'busy' });
    expect(readCleaning({ cleanedAt: '2026-05-01T00:00:00Z', why: 'busy', logOverAt: null })).toEqual({
      cleanedAt: new Date('2026-05-01'),
      why: null,
      logOverAt: null,
    });
  });
});

describe('readOpenCleanings', () => {
  it('counts the files of tables that are not clean since before a moment, of this place alone', async () => {
    const file = await world.accepted();
    await world.force('UPDATE file SET cleaning_no = 1 WHERE file_id = $1', [file.file_id]);
    await world.force(
      `INSERT INTO cleaning (cleaning_no, table_name, place, after_xid, noted_at, why)
       VALUES (1, 'row_fingerprint', ${CLEANING_PLACE}, '3', '2026-06-01', 'busy'), (1, 'file_secret', 'elsewhere', '3', '2026-06-01', 'busy')`,
    );
    expect(await readOpenCleanings(world.ledger, new Date('2026-06-02'))).toEqual([
      { table: 'row_fingerprint', files: 1, since: new Date('2026-06-01'), why: 'busy' },
    ]);
    expect(await readOpenCleanings(world.ledger, new Date('2026-06-01'))).toEqual([]);
  });
});

describe('readDatabaseState', () => {
  it('finds ledgers that were put aside', async () => {
    expect(await readDatabaseState(world.ledger)).toEqual({ mayListLog: true, setAside: [] });
    await world.ledger.pool.query('CREATE SCHEMA paydrop_before_20261124');
    expect(await readDatabaseState(world.ledger)).toMatchObject({ setAside: ['paydrop_before_20261124'] });
  });
});

const inDays = (days: number) => new Date(Date.parse(START) + days * DAY_MS);
const because = { actor: 'operator:test', reason: 'for the test' };

/** Makes tokens and files that expire at different times. */
async function makeExpiring(): Promise<void> {
  for (const name of ['ada', 'bob']) {
    const link = { tokenHash: Buffer.from(name), expiresAt: inDays(1) };
    await invitePerson(world.ledger, { name, role: 'operator' }, link, because);
  }
  const add = (person: string, name: string, days: number) => {
    const tokenHash = Buffer.from(`${person} ${name}`);
    return addApiToken(world.ledger, { person, name, actions: ['look'], tokenHash, expiresAt: inDays(days) }, because);
  };
  await add('ada', 'erp', 20);
  await add('ada', 'later', 31);
  await add('ada', 'ended', -1);
  await revokeApiToken(world.ledger, { tokenNo: await add('ada', 'revoked', 20), person: 'ada' }, because);
  await add('bob', 'of a user who left', 20);
  await world.force(`UPDATE person SET disabled_at = made_at WHERE name = 'bob'`);
  for (const account of ['main', 'side', 'kept']) {
    const file = await world.accepted({ account });
    await world.putFile(file.file_id, 'completed');
  }
  await world.accepted({ account: 'open' });
}

describe('findExpiring', () => {
  beforeEach(makeExpiring);

  it('names tokens that still work and originals whose time comes, the first first', async () => {
    const days = { byAccount: { main: 10, side: 400, kept: 0, open: 1 }, others: 400 };
    expect(await findExpiring(world.ledger, days, inDays(30))).toEqual([
      { what: 'originals', name: 'main', at: inDays(10) },
      { what: 'token', name: 'erp of ada', at: inDays(20) },
    ]);
  });

  it('names nothing that ends later', async () => {
    expect(await findExpiring(world.ledger, { byAccount: { main: 10 }, others: 400 }, inDays(9))).toEqual([]);
  });
});

const DAYS = { byAccount: {}, others: 10 };

/** Makes a file that is due with a withheld row. */
async function dueFile(): Promise<FileRow> {
  const file = await world.accepted({ withheld: 1 });
  await world.putBatch({ fileId: file.file_id, batchNo: 1 }, 'reconciled');
  await world.putFile(file.file_id, 'completed');
  world.clock.advance(11 * DAY_MS);
  return file;
}

const fingerprints = async () => (await world.ledger.pool.query('SELECT FROM row_fingerprint')).rowCount;
const parts = async () => (await world.ledger.pool.query('SELECT FROM sealed_part')).rowCount;
const codeOf = (sql: string) =>
  world.ledger.pool.query(sql).then(
    () => undefined,
    (error: { code?: string }) => error.code,
  );

describe('shredFile', () => {
  it('destroys the key and what is sealed, with one link, once', async () => {
    const file = await dueFile();
    await world.force(`UPDATE file_secret SET content_key = 'sealed' WHERE file_id = $1`, [file.file_id]);
    expect(await shredFile(world.ledger, file.file_id, DAYS)).toBe(true);
    expect(await readFileRow(world.ledger, file.file_id)).toMatchObject({
      wrapped_key: null,
      content_key: null,
      row_set: null,
      shredded_at: world.clock.now(),
      state: 'completed',
    });
    expect(await parts()).toBe(0);
    expect((await world.links(file.file_id)).at(-1)).toMatchObject({ move: 'shred', evidence: { sealedParts: 1 } });
    expect(await shredFile(world.ledger, file.file_id, DAYS)).toBe(false);
  });

  it('touches nothing of a file that is not due, or not any more', async () => {
    const file = await dueFile();
    expect(await shredFile(world.ledger, file.file_id, { byAccount: {}, others: 12 })).toBe(false);
    await world.force(`UPDATE batch SET state = 'unknown'`);
    expect(await shredFile(world.ledger, file.file_id, DAYS)).toBe(false);
    expect((await readFileRow(world.ledger, file.file_id)).wrapped_key).not.toBeNull();
    expect(await parts()).toBe(1);
  });

  it('is for good: the database takes no key for it any more', async () => {
    const file = await dueFile();
    await shredFile(world.ledger, file.file_id, DAYS);
    const insert = `INSERT INTO file_secret (file_id, wrapped_key) VALUES ('${file.file_id}', '\\x00')`;
    expect(await codeOf(insert)).toBe('PD002');
    expect(await codeOf('UPDATE file SET shredded_at = NULL')).toBe('PD002');
  });
});

describe('dropFingerprints', () => {
  it('drops those of destroyed files only, and notes when it is done', async () => {
    const file = await dueFile();
    const other = await world.accepted();
    await shredFile(world.ledger, file.file_id, DAYS);
    expect(await fingerprints()).toBe(4);
    expect(await dropFingerprints(world.ledger, () => true)).toBe(0);
    expect(await fingerprints()).toBe(4);
    expect(await dropFingerprints(world.ledger, () => false)).toBe(1);
    expect(await fingerprints()).toBe(2);
    expect((await readFileRow(world.ledger, file.file_id)).fingerprints_dropped_at).toEqual(world.clock.now());
    expect((await readFileRow(world.ledger, other.file_id)).fingerprints_dropped_at).toBeNull();
    expect(await dropFingerprints(world.ledger, () => false)).toBe(0);
  });

  it('is all that the database lets happen to rows and prints, and not before the key is gone', async () => {
    await dueFile();
    expect(await codeOf('DELETE FROM row_fingerprint')).toBe('PD002');
    await world.force('WITH gone AS (DELETE FROM file_secret) UPDATE file SET shredded_at = now()');
    expect(await codeOf('UPDATE row_fingerprint SET fingerprint = 1')).toBe('PD002');
    expect(await codeOf('TRUNCATE row_fingerprint')).toBe('PD002');
    expect(await codeOf(`UPDATE payment_row SET invoice = 'x'`)).toBe('PD002');
    expect(await codeOf('DELETE FROM payment_row')).toBe('PD002');
    expect(await codeOf('DELETE FROM row_fingerprint')).toBeUndefined();
  });
});
