import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { armCrashPoints } from '../../../src/kernel/crash-point.ts';
import { findFile } from '../../../src/ledger/file/search.ts';
import { findArchivedInvoices } from '../../../src/ledger/retention/archived-rows.ts';
import {
  emptyArchived,
  findArchivable,
  readArchiveCut,
  recordArchive,
} from '../../../src/features/archive/archivable.ts';
import { shredDue } from '../../../workers/upkeep/shred.ts';
import { openCliWorld } from '../../cli/support/cli-world.ts';
import { forceSql } from '../../support/force-sql.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { cardRow, lines, MAGIC_CARD } from '../../support/payment-rows.ts';
import { query } from '../../workers/support/story.ts';
import { FEATURES } from '../../../src/features.ts';

const world = openedForTests(() =>
  openCliWorld({ features: FEATURES, account: { recheck: { afterMs: [] } }, folder: { sameTotals: 'off' } }),
);
const NAMES = ['one', 'two', 'three', 'four'];
const TODAY = new Date().toISOString().slice(0, 10);
const DAY_MS = 86_400_000;

const archive = (...words: string[]) =>
  world.paydrop('archive', 'move', 'main', '--before', TODAY, '--reason', 'the year is closed', ...words);
const json = async (...words: string[]) => JSON.parse((await world.paydrop(...words, '--json')).out);

/** Nine good rows, one that is declined and one that is withheld. */
function rowsOf(name: string): string[] {
  const declined = cardRow(2, { invoice: `${name}-2`, card: MAGIC_CARD, amount: '2.00' });
  const rows = [1, 3, 4, 5, 6, 7, 8, 9, 10].map((n) => cardRow(n, { invoice: `${name}-${n}` }));
  return [...rows, declined, cardRow(11, { invoice: `${name}-11`, expiry: '13/35' })];
}

beforeAll(async () => {
  for (const name of NAMES) await world.drop('card', `${name}.csv`, lines(rowsOf(name)));
  await world.finish();
  expect(Object.values(await world.states())).toEqual(NAMES.map(() => 'completed'));
  await age(NAMES, 100);
  await forceSql(
    world.app,
    `INSERT INTO file OVERRIDING SYSTEM VALUE SELECT (jsonb_populate_record(f, jsonb_build_object('file_no', 1000 + n,
       'file_id', 'newer' || lpad(n::text, 11, '0'), 'name', 'newer-' || n, 'sha256', 'x' || n, 'claimed_at', now(),
       'state_at', now(), 'known_at', now()))).*
     FROM generate_series(1, 20) n, file f WHERE f.name = 'one.csv'`,
  );
});

async function age(names: readonly string[], days: number): Promise<void> {
  await forceSql(
    world.app,
    `UPDATE file SET (claimed_at, aged_from, state_at, known_at) = (SELECT at, at, at, at
       FROM (SELECT now() - $2 * interval '1 day' AS at) a) WHERE name = ANY ($1)`,
    [names.map((name) => `${name}.csv`), days],
  );
}

/** Only these files are old. */
async function onlyOld(...names: string[]): Promise<void> {
  await age(NAMES, 1);
  await age(names, 100);
}

/** Rows and cents in the tables of rows, and in archives that the ledger knows. */
async function readWhole() {
  const [here] = await query<{ rows: number; cents: number }>(
    world.app,
    `SELECT count(*)::int AS rows, coalesce(sum(amount_cents), 0)::int AS cents FROM payment_row JOIN file USING (file_no)
     WHERE archive_no IS NULL`,
  );
  const there = (await json('archive', 'list')) as { rows: number; cents: number }[];
  const sum = (name: 'rows' | 'cents') => there.reduce((total, one) => total + one[name], here![name]);
  return { rows: sum('rows'), cents: sum('cents') };
}

async function leftOf(name: string): Promise<number> {
  const { file_no: no, file_id: id } = await findFile(world.app.ledger, `${name}.csv`);
  const [left] = await query<{ n: number }>(
    world.app,
    `SELECT ((SELECT count(*) FROM payment_row WHERE file_no = ${no}) + (SELECT count(*) FROM row_outcome WHERE file_no = ${no})
      + (SELECT count(*) FROM row_fault WHERE file_no = ${no}) + (SELECT count(*) FROM sealed_part WHERE file_id = '${id}'))::int AS n`,
  );
  return left!.n;
}

describe('archive move', () => {
  it('plans without changing anything, and says what stays and why', async () => {
    await age(['one'], 20);
    const plan = await json('archive', 'move', 'main', '--before', TODAY, '--plan');
    expect(plan.facts).toContainEqual({ name: 'Files', value: '3' });
    expect(plan.facts).toContainEqual({ name: 'Rows', value: '33' });
    expect(plan.says.join(' ')).toContain('new payments are compared with those of the last 60 days');
    expect(plan.says.join(' ')).toContain('3 rows of them were certainly not charged.');
    expect(await leftOf('two')).toBeGreaterThan(20);
  });

  it('wants a day, and an account or all', async () => {
    const statusOf = async (line: string) => (await world.paydrop(...`archive move ${line}`.split(' '))).status;
    expect(await statusOf('main --before May --reason x')).toBe(1);
    expect(await statusOf(`--before ${TODAY} --reason x`)).toBe(1);
    expect(await statusOf('main --before 2001-01-01 --plan')).toBe(0);
  });

  it('moves rows, outcomes, faults and sealed batches; totals, story and trail stay', async () => {
    await onlyOld('one');
    const [before, rowsBefore] = [await json('show', 'one.csv'), await readWhole()];
    const rows = await query(
      world.app,
      `SELECT line, batch_no AS "batchNo", invoice, customer_code AS "customerCode", amount_cents::int AS "amountCents",
              last_four AS "lastFour", outcome, code, message, "authorization"
       FROM payment_row LEFT JOIN row_outcome USING (file_no, line) JOIN file USING (file_no)
       WHERE name = 'one.csv' ORDER BY line`,
    );
    expect(rows).toHaveLength(11);
    const done = JSON.parse((await archive('--json')).out);
    expect(done).toMatchObject({ account: 'main', files: 1, rows: 11 });
    expect(await leftOf('one')).toBe(0);
    expect(await leftOf('two')).toBeGreaterThan(20);
    expect(await json('archive', 'read', 'one.csv')).toEqual(rows);
    expect(await readWhole()).toEqual(rowsBefore);
    const after = await json('show', 'one.csv');
    for (const part of ['batches', 'outcomes', 'open', 'outputs']) expect(after[part]).toEqual(before[part]);
    expect(after.rowArchive).toMatchObject({ account: 'main', name: done.archives[0] });
    expect((await world.paydrop('audit', 'verify')).status).toBe(0);
    const [link] = await query(world.app, `SELECT evidence FROM audit WHERE move = 'archive-rows'`);
    expect(link).toMatchObject({ evidence: { account: 'main', files: 1, rows: 11, archive: done.archives[0] } });
  });

  it('is told by show, why, find and the payment, in any case of the invoice', async () => {
    const read = `paydrop archive read ${(await findFile(world.app.ledger, 'one.csv')).file_id}`;
    expect((await world.paydrop('show', 'one.csv')).out).toContain(read);
    expect((await world.paydrop('why', 'one.csv')).out).toContain(read);
    expect((await world.paydrop('why', 'one-3')).out).toContain(read);
    expect((await world.paydrop('why', 'one.csv:1')).err).toContain('its rows are archived');
    const where = read.replace('archive read', 'why');
    expect((await world.paydrop('find', 'ONE-3')).out).toContain(where);
    expect((await world.paydrop('find', '--invoice', 'one-3')).err).toContain(where);
    expect((await world.paydrop('find', 'one-12')).out).not.toContain(where);
    const heldBy = (account: string) => findArchivedInvoices(world.app.ledger, account, ['one-3', 'one-12']);
    expect([...(await heldBy('main'))]).toEqual(['one-3']);
    expect((await world.paydrop('archive', 'read', 'one.csv')).out).toContain('one-11,');
    expect((await world.paydrop('archive', 'read', 'two.csv')).err).toContain('its rows are in the ledger');
  });

  it('refuses what needs the rows', async () => {
    const words = ['one.csv', '--reason', 'again'];
    const commands = [
      ['resubmit', ...words],
      ...['rebuild-outputs one.csv', 'repoll one.csv/1'].map((line) => line.split(' ')),
    ];
    for (const command of commands) expect((await world.paydrop(...command)).err).toContain('its rows are archived');
  });

  it('keeps the protection against double payment', async () => {
    await world.drop('card', 'same-bytes.csv', lines(rowsOf('one')));
    const folder = world.app.settings.folders.find(({ id }) => id === 'drop/card')!;
    Object.assign(folder, { duplicateDays: 3_000 });
    const [again, fresh] = [cardRow(3, { invoice: 'one-3' }), cardRow(1, { invoice: 'new-1' })];
    await world.drop('card', 'one-row.csv', lines([again, fresh]));
    await world.finish();
    Object.assign(folder, { duplicateDays: 35 });
    expect(await world.states()).toMatchObject({ 'same-bytes.csv': 'rejected', 'one-row.csv': 'held' });
    const why = (await world.paydrop('why', 'one-row.csv')).out;
    expect(why).toContain('which is archived');
    await world.paydrop('decline', 'one-row.csv', '--reason', 'it was paid');
  });
});

describe('the ledger', () => {
  it.each(['payment_row', 'row_outcome'])('deletes nothing of %s that is not archived', async (table) => {
    const { file_no: no } = await findFile(world.app.ledger, 'two.csv');
    await expect(query(world.app, `DELETE FROM ${table} WHERE file_no = ${no}`)).rejects.toThrow('written once');
    expect(
      await query(world.app, `DELETE FROM ${table} WHERE file_no = (SELECT file_no FROM file WHERE name = 'one.csv')`),
    ).toEqual([]);
  });

  it('adds nothing to an archived file, and brings none back', async () => {
    const one = `(SELECT file_no FROM file WHERE name = 'one.csv')`;
    const change = `INSERT INTO row_change VALUES (${one}, 1, 1, 'declined', 1, 'm', 'a', now(), 's')`;
    await expect(query(world.app, change)).rejects.toThrow('are archived');
    await expect(query(world.app, `UPDATE file SET archive_no = NULL WHERE name = 'one.csv'`)).rejects.toThrow(
      'are archived',
    );
    const early = `UPDATE file SET archive_no = (SELECT archive_no FROM row_archive LIMIT 1) WHERE name = 'two.csv'`;
    await forceSql(
      world.app,
      `UPDATE batch SET state = 'unknown' WHERE file_id = (SELECT file_id FROM file WHERE name = 'two.csv')`,
    );
    await expect(query(world.app, early)).rejects.toThrow('is not finished');
    await forceSql(world.app, `UPDATE batch SET state = 'reconciled' WHERE state = 'unknown'`);
  });
});

/** Ends all that kept a file. */
const RELEASE = `UPDATE batch SET next_recheck_at = NULL, state = CASE state WHEN 'unknown' THEN 'reconciled' ELSE state END;
  UPDATE file SET state = 'completed', known_at = state_at WHERE name LIKE 'newer%' OR name = 'two.csv';
  UPDATE row_outcome SET outcome = 'approved' WHERE outcome = 'unknown';
  DELETE FROM proposal; DELETE FROM row_change; DELETE FROM resubmission`;

describe('what stays', () => {
  it.each([
    ['a result that is asked for again', 'UPDATE batch SET next_recheck_at = now() WHERE file_id = TWO'],
    [
      'a proposal',
      `INSERT INTO proposal (action, file_id, binding, reason, evidence, made_by, made_at)
       VALUES ('approve', TWO, '{}', 'r', '{}', 'ada', now())`,
    ],
    [
      'a later outcome',
      `INSERT INTO row_change SELECT file_no, 1, 1, 'declined', 1, 'm', 'a', now(), 's' FROM file WHERE name = 'two.csv'`,
    ],
    [
      'an undecided row',
      `UPDATE row_outcome SET outcome = 'unknown' WHERE line = 1 AND file_no = (SELECT file_no FROM file WHERE name = 'two.csv')`,
    ],
    [
      'rows that were resubmitted and did not come back',
      `INSERT INTO resubmission (file_id, account, name, sha256, rows, cents, actor, reason, at)
       VALUES (TWO, 'main', 'n', 'x', 1, 1, 'a', 'r', now())`,
    ],
    ['a place among the newest', `UPDATE file SET state = 'cancelled' WHERE name LIKE 'newer%'`],
    [
      'an open batch of its account from that time',
      `WITH old AS (UPDATE file SET claimed_at = now() - interval '130 days' WHERE name = 'three.csv' RETURNING file_id)
       UPDATE batch SET state = 'unknown' WHERE file_id = (SELECT file_id FROM old)`,
    ],
    ['a late end', `UPDATE file SET known_at = now() - interval '59 days' WHERE name = 'two.csv'`],
  ])('keeps a file with %s', async (_what, sql) => {
    await onlyOld('two');
    await forceSql(world.app, sql.replace('TWO', `(SELECT file_id FROM file WHERE name = 'two.csv')`));
    expect(JSON.parse((await archive('--json')).out)).toMatchObject({ files: 0 });
    await forceSql(world.app, RELEASE);
  });

  it('records no archive of a file that has changed since it was written', async () => {
    const { ledger } = world.app;
    const order = { account: 'main', before: new Date(), keepMs: 60 * DAY_MS };
    const cut = await readArchiveCut(ledger, order);
    const files = await findArchivable(ledger, 'main', cut, {});
    const sums = { rows: 11, cents: 25_200, outcomes: 10, faults: 1, parts: 1, name: 'none', bytes: 1, sha256: 'x' };
    const because = { actor: 'operator:ada', reason: 'r' };
    expect(await recordArchive(ledger, { account: 'main', cut, files }, sums, because)).toBeUndefined();
    expect(await leftOf('two')).toBeGreaterThan(20);
  });
});

describe('after a crash', () => {
  it('the next run deletes what is left, and so does the hourly upkeep', async () => {
    for (const [name, finish] of [
      ['three', () => archive()],
      ['four', () => shredDue(world.app)],
    ] as const) {
      await onlyOld(name);
      const before = await readWhole();
      armCrashPoints((reached) => {
        if (reached === 'archive.recorded') throw new Error('the process ends');
      });
      await archive();
      armCrashPoints(undefined);
      expect(await leftOf(name)).toBeGreaterThan(20);
      expect(await emptyArchived(world.app.ledger, () => true)).toBe(0);
      await finish();
      expect([await leftOf(name), await readWhole()]).toEqual([0, before]);
    }
  });
});

describe('an archive', () => {
  const pathOf = async (name: string) => {
    const { rowArchive } = await json('show', `${name}.csv`);
    return join(world.settings.paths.archive, rowArchive.name);
  };

  it('is sealed, survives the end of retention, and opens with a new master key', async () => {
    const path = await pathOf('one');
    expect((await readFile(path)).includes('one-3')).toBe(false);
    await forceSql(
      world.app,
      `DELETE FROM file_secret WHERE file_id = (SELECT file_id FROM file WHERE name = 'one.csv')`,
    );
    expect(await json('archive', 'read', 'one.csv')).toHaveLength(11);
    expect((await world.paydrop('key', 'rotate')).err).toBe('');
    expect(await json('archive', 'read', 'one.csv')).toHaveLength(11);
  });

  it('that was changed or is missing is refused and listed', async () => {
    const path = await pathOf('one');
    const bytes = await readFile(path);
    const changed = Buffer.from(bytes);
    changed[bytes.length >> 1]! ^= 1;
    await writeFile(path, changed);
    expect((await world.paydrop('archive', 'read', 'one.csv')).status).toBe(5);
    await writeFile(path, '');
    expect((await world.paydrop('archive', 'read', 'one.csv')).status).toBe(5);
    await writeFile(path, bytes);
    expect((await world.paydrop('archive', 'list')).status).toBe(0);
    const names = await readdir(join(world.settings.paths.archive, 'rows'), { recursive: true });
    expect(names.filter((name) => name.endsWith('.part'))).toEqual([]);
  });
});
