import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { findFile } from '../../../src/ledger/file/search.ts';
import { shredDue } from '../../../workers/upkeep/shred.ts';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { query } from '../../workers/support/story.ts';
import { openCliWorld } from '../support/cli-world.ts';
import {
  describeRetention,
  isClean,
  readRetention,
  type RetentionReport,
} from '../../../src/cli/retention/retention.ts';
import type { Settings } from '../../../src/config/config.ts';
import { newFileId } from '../../../src/kernel/ids.ts';
import { archivePath } from '../../../src/crypto/archive.ts';
import { freshFolder } from '../../files/support/fresh-folder.ts';
import { openTestLedger, START } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

let fileId = '';

type Report = {
  clean: boolean;
  shredded: { file_id: string; leftOver: string[]; key: object }[];
  due: { file_id: string }[];
};

describe('retention report', () => {
  const world = openedForTests(() => openCliWorld({ account: { recheck: { afterMs: [] } } }));
  beforeAll(async () => {
    await world.drop('card', 'old.csv', lines([cardRow(1)]));
    await world.drop('card', 'new.csv', lines([cardRow(2)]));
    await world.finish();
    fileId = (await findFile(world.app.ledger, 'old.csv')).file_id;
    await query(
      world.app,
      `UPDATE file SET (state_at, known_at) = (now() - interval '401 days', now() - interval '401 days') WHERE name = 'old.csv'`,
    );
  });
  const report = async (...words: string[]) => {
    const { status, out } = await world.paydrop('retention', 'report', '--json', ...words);
    return { status, ...(JSON.parse(out) as Report) };
  };

  it('names what is due', async () => {
    const { status, clean, due, shredded } = await report();
    expect({ status, clean, shredded }).toEqual({ status: 0, clean: true, shredded: [] });
    expect(due.map((file) => file.file_id)).toEqual([fileId]);
    expect((await world.paydrop('retention', 'report')).out).toContain('Due but not destroyed yet: 1');
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
    expect(out).toContain('In the archive of this host: 1 originals kept, 0 left over.');
    expect(out).toContain('The ledger and the archive of this host have nothing left over.');
    expect(out).toContain('the keys of 1 of 1 file are gone');
    expect(out).toContain('Backups of the ledger contain the wrapped keys of their day.');
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
      tables: ['file_secret', 'row_fingerprint'].map((table) => ({ table, isClean: true, why: null })),
    });
    expect((await report()).shredded).toMatchObject([{ key: { cleanedAt: expect.any(String), why: null } }]);
    expect((await world.paydrop('retention', 'clean')).out).toBe('Nothing to clean.\n');
  });

  it('wants days', async () => {
    expect(await world.paydrop('retention', 'report', '--from', 'spring')).toMatchObject({ status: 1, out: '' });
  });
});

const FROM = new Date('2026-04-01');
const EMPTY: RetentionReport = {
  from: FROM,
  to: new Date('2026-07-01'),
  shredded: [],
  due: [],
  database: { mayListLog: true, setAside: [] },
  archive: { kept: 7, left: [], unknown: [] },
};
const SHREDDED = {
  file_id: 'abcdefgh23456789',
  name: 'june.csv',
  account: 'main',
  state: 'completed' as const,
  shreddedAt: new Date('2026-05-01'),
  auditLink: 12,
  leftOver: ['fingerprints'],
  key: { cleanedAt: new Date('2026-05-02'), why: null, logOverAt: new Date('2026-05-03') },
  fingerprints: { cleanedAt: null, why: 'at 300 MB the table is too large', logOverAt: null },
};

describe('describeRetention', () => {
  it('says that nothing was destroyed and nothing is left, and what backups still hold', () => {
    const text = describeRetention(EMPTY);
    expect(text).toContain('Keys destroyed from 2026-04-01T00:00:00.000Z to 2026-07-01T00:00:00.000Z: 0');
    expect(text).toContain('7 originals kept, 0 left over');
    expect(text).toContain('The ledger and the archive of this host have nothing left over.');
    expect(text).toContain('delete backups when they expire');
  });

  it('lists what was destroyed with its link, what is due, and what is left over', () => {
    const { shreddedAt: _at, auditLink: _link, leftOver: _left, key: _key, fingerprints: _prints, ...file } = SHREDDED;
    const text = describeRetention({
      ...EMPTY,
      shredded: [SHREDDED],
      due: [{ ...file, file_no: 1, dueAt: FROM }],
      archive: { kept: 0, left: ['abcdefgh23456789'], unknown: ['zzzzzzzz23456789'] },
    });
    expect(text).toMatch(
      /^2026-05-01T.* main +abcdefgh23456789 +june\.csv +completed +12 +fingerprints +2026-05-02T00:00:00.000Z +not yet +not yet$/m,
    );
    expect(text).toContain('Due but not destroyed yet: 1');
    expect(text).toContain('Left over: abcdefgh23456789');
    expect(text).toContain('Not in the ledger, and left alone: zzzzzzzz23456789');
    expect(text).toContain('Something is left over.');
    expect(text).toContain('the keys of 1 of 1 file are gone');
    expect(text).toContain('the fingerprints of 0 of 1 file are gone');
    expect(text).toContain('Not yet for 1: at 300 MB the table is too large.');
  });

  it('says nothing of a log that it may not list, and names ledgers that were put aside', () => {
    const database = { mayListLog: false, setAside: ['paydrop_before_2026'] };
    const text = describeRetention({ ...EMPTY, shredded: [SHREDDED], database });
    expect(text).toContain('is not allowed to list them');
    expect(text).toContain('A replaced ledger is in the database with all its keys: paydrop_before_2026');
  });

  it('calls the log overwritten when it is for both', () => {
    const fingerprints = { ...SHREDDED.key, logOverAt: new Date('2026-05-04') };
    const text = describeRetention({ ...EMPTY, shredded: [{ ...SHREDDED, fingerprints }] });
    expect(text).toMatch(/2026-05-02T\S+ +2026-05-02T\S+ +2026-05-04T\S+$/m);
  });
});

it('readRetention tells originals that are kept, left over and unknown, and isClean minds the left ones only', async () => {
  const world = await openTestLedger();
  onTestFinished(() => world.close());
  const archive = await freshFolder();
  const [kept, left, stranger] = [await world.claimed(), await world.claimed(), newFileId()];
  for (const fileId of [kept.file_id, left.file_id, stranger]) {
    const path = archivePath(archive, fileId, new Date(START));
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, '');
  }
  const settings = { accounts: new Map(), paths: { archive } } as unknown as Settings;
  const read = () => readRetention(world.ledger, settings, { from: new Date(START), to: new Date('2027-01-01') });
  const before = await read();
  expect(before).toMatchObject({ shredded: [], due: [], archive: { kept: 2, left: [], unknown: [stranger] } });
  expect(isClean(before)).toBe(true);

  await world.force('DELETE FROM file_secret WHERE file_id = $1', [left.file_id]);
  await world.force('UPDATE file SET shredded_at = $2 WHERE file_id = $1', [left.file_id, START]);
  const after = await read();
  expect(after.archive).toEqual({ kept: 1, left: [left.file_id], unknown: [stranger] });
  expect(after.shredded).toMatchObject([{ file_id: left.file_id, leftOver: ['original in the archive'] }]);
  expect(isClean(after)).toBe(false);
});
