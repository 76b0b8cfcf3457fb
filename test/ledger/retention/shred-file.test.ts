import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { dropFingerprints, shredFile } from '../../../src/ledger/retention/retention.ts';
import { readFileRow } from '../../../src/ledger/file/read-file.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

const DAYS = { byAccount: {}, others: 10 };

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterEach(() => world.empty());
afterAll(() => world.close());

async function due(): Promise<FileRow> {
  const file = await world.accepted({ withheld: 1 });
  await world.putBatch({ fileId: file.file_id, batchNo: 1 }, 'reconciled');
  await world.putFile(file.file_id, 'completed');
  world.clock.advance(11 * 86_400_000);
  return file;
}

const fingerprints = async () => (await world.ledger.pool.query('SELECT FROM row_print')).rowCount;
const parts = async () => (await world.ledger.pool.query('SELECT FROM sealed_part')).rowCount;
const codeOf = (sql: string) =>
  world.ledger.pool.query(sql).then(
    () => undefined,
    (error: { code?: string }) => error.code,
  );

describe('shredFile', () => {
  it('destroys the key and what is sealed, with one link, once', async () => {
    const file = await due();
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
    const file = await due();
    expect(await shredFile(world.ledger, file.file_id, { byAccount: {}, others: 12 })).toBe(false);
    await world.force(`UPDATE batch SET state = 'unknown'`);
    expect(await shredFile(world.ledger, file.file_id, DAYS)).toBe(false);
    expect((await readFileRow(world.ledger, file.file_id)).wrapped_key).not.toBeNull();
    expect(await parts()).toBe(1);
  });

  it('is for good: the database takes no key for it any more', async () => {
    const file = await due();
    await shredFile(world.ledger, file.file_id, DAYS);
    const insert = `INSERT INTO file_secret (file_id, wrapped_key) VALUES ('${file.file_id}', '\\x00')`;
    expect(await codeOf(insert)).toBe('PD002');
    expect(await codeOf('UPDATE file SET shredded_at = NULL')).toBe('PD002');
  });
});

describe('dropFingerprints', () => {
  it('drops those of destroyed files only, and notes when it is done', async () => {
    const file = await due();
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
    await due();
    expect(await codeOf('DELETE FROM row_print')).toBe('PD002');
    await world.force('WITH gone AS (DELETE FROM file_secret) UPDATE file SET shredded_at = now()');
    expect(await codeOf('UPDATE row_print SET print = 1')).toBe('PD002');
    expect(await codeOf('TRUNCATE row_print')).toBe('PD002');
    expect(await codeOf(`UPDATE payment_row SET invoice = 'x'`)).toBe('PD002');
    expect(await codeOf('DELETE FROM payment_row')).toBe('PD002');
    expect(await codeOf('DELETE FROM row_print')).toBeUndefined();
  });
});
