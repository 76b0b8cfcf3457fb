import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFile } from '../../../src/ledger/file/search.ts';
import { shredDue } from '../../../workers/upkeep/shred.ts';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { query } from '../../workers/support/story.ts';
import { type CliWorld, openCliWorld } from '../support/cli-world.ts';

let world: CliWorld;
let fileId = '';
beforeAll(async () => {
  world = await openCliWorld({ account: { recheck: { afterMs: [] } } });
  await world.drop('card', 'old.csv', lines([cardRow(1)]));
  await world.drop('card', 'new.csv', lines([cardRow(2)]));
  await world.finish();
  fileId = (await findFile(world.app.ledger, 'old.csv')).file_id;
  await query(
    world.app,
    `UPDATE file SET state_at = now() - interval '401 days', known_at = NULL WHERE name = 'old.csv'`,
  );
});
afterAll(() => world.close());

type Report = {
  clean: boolean;
  shredded: { file_id: string; leftOver: string[]; key: object }[];
  due: { file_id: string }[];
};
const report = async (...words: string[]) => {
  const { status, out } = await world.paydrop('retention', 'report', '--json', ...words);
  return { status, ...(JSON.parse(out) as Report) };
};

describe('retention report', () => {
  it('names what is due', async () => {
    const { status, clean, due, shredded } = await report();
    expect({ status, clean, shredded }).toEqual({ status: 0, clean: true, shredded: [] });
    expect(due.map((file) => file.file_id)).toEqual([fileId]);
    expect((await world.paydrop('retention', 'report')).out).toContain('Due and not destroyed yet: 1');
  });

  it('proves what was destroyed, in its time and in no other', async () => {
    await shredDue(world.app);
    expect(await report()).toMatchObject({
      status: 0,
      due: [],
      shredded: [{ file_id: fileId, leftOver: [], key: { cleanedAt: expect.any(String), why: null, logOverAt: null } }],
    });
    expect(await report('--from', '2020-01-01', '--to', '2020-12-31')).toMatchObject({ status: 0, shredded: [] });
    const { out } = await world.paydrop('retention', 'report');
    expect(out).toContain('In the archive of this host: 1 originals that are kept, 0 that should be gone.');
    expect(out).toContain(
      'No row of the ledger and no original in the archive of this host is left that should be gone.',
    );
    expect(out).toContain('the keys of 1 of 1 file are gone');
    expect(out).toContain('Backups of the ledger hold the wrapped keys of their day.');
  });

  it('finds what should be gone and is not', async () => {
    await query(world.app, `INSERT INTO sealed_part VALUES ($1, 1, 'body', 'x')`, [fileId]);
    expect(await report()).toMatchObject({ status: 5, clean: false, shredded: [{ leftOver: ['sealed batches'] }] });
    await query(world.app, 'DELETE FROM sealed_part WHERE file_id = $1', [fileId]);
  });

  it('says why a table is not clean, and clean does what was not done in passing', async () => {
    await query(world.app, 'UPDATE file SET cleaning_no = NULL WHERE file_id = $1', [fileId]);
    const { shredded } = await report();
    expect(shredded).toMatchObject([{ key: { cleanedAt: null, why: 'not tried yet' } }]);
    const { status, out } = await world.paydrop('retention', 'clean', '--json');
    expect({ status, ...JSON.parse(out) }).toEqual({
      status: 0,
      tables: ['file_secret', 'row_print'].map((table) => ({ table, isClean: true, why: null })),
    });
    expect((await report()).shredded).toMatchObject([{ key: { cleanedAt: expect.any(String), why: null } }]);
    expect((await world.paydrop('retention', 'clean')).out).toBe('There was nothing to clean.\n');
  });

  it('wants days', async () => {
    expect(await world.paydrop('retention', 'report', '--from', 'spring')).toMatchObject({ status: 1, out: '' });
  });
});
