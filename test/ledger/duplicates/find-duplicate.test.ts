import { ask } from '../../../src/ledger/engine/ask.ts';
import { beforeEach, describe, expect, it } from 'vitest';
import { FILE_STATES, type FileState } from '../../../schemas/lifecycle.ts';
import {
  findLinesAsInvoices,
  findSameContent,
  findSameName,
  hasSwappedColumns,
  lockDecisions,
  readAcceptedCents,
  readLastSizes,
} from '../../../src/ledger/duplicates/find-duplicate.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { openTestLedger, START } from '../../support/ledger-world.ts';
import { upTo } from '../../support/payment-rows.ts';
import { OF_THIS_DATABASE } from '../../support/force-sql.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

const sameContent = async (file: FileRow) =>
  (await ask(world.ledger.pool, findSameContent([{ file }])).then(([found]) => found))[0];
const sameName = async (file: FileRow) =>
  (await ask(world.ledger.pool, findSameName([file])).then(([found]) => found))[0];

describe('findSameContent', () => {
  const states = Object.keys(FILE_STATES) as FileState[];
  it.each(states)('finds a file that is %s only if its bytes were taken', async (state) => {
    const earlier = await world.accepted({ name: 'monday.csv' });
    await world.putFile(earlier.file_id, state);
    const { account, sha256 } = earlier;
    const found = await sameContent(await world.claimed({ account, sha256, name: 'tuesday.csv' }));
    const isTaken = ['accepted', 'held', 'in_progress', 'completed', 'partly_cancelled'].includes(state);
    const { file_id, invalid_rows } = earlier;
    const expected = { file_id, name: 'monday.csv', invalid_rows };
    expect(found && { ...found, mayBeCharged: undefined }).toEqual(isTaken ? { ...expected, state } : undefined);
  });

  it('does not find the file itself, nor other bytes, nor another account', async () => {
    const earlier = await world.accepted();
    expect(await sameContent(earlier)).toBeUndefined();
    expect(await sameContent(await world.claimed({ account: earlier.account }))).toBeUndefined();
    expect(await sameContent(await world.claimed({ sha256: earlier.sha256 }))).toBeUndefined();
  });
});

describe('findSameContent, for what is inside an encrypted file', () => {
  it('finds it whether it came encrypted before or as it is', async () => {
    const account = 'inside';
    const encrypted = await world.accepted({ account });
    await world.force('UPDATE file SET content_sha256 = $2 WHERE file_id = $1', [encrypted.file_id, 'rows of may']);
    const plain = await world.accepted({ account });
    const find = async (file: FileRow, inside?: string) =>
      (await ask(world.ledger.pool, findSameContent([{ file, inside }])).then(([found]) => found))[0]?.file_id;
    const again = await world.claimed({ account });
    expect(await find(again, 'rows of may')).toBe(encrypted.file_id);
    expect(await find(again, plain.sha256)).toBe(plain.file_id);
    expect(await find(again, 'rows of june')).toBeUndefined();
    expect(await find(await world.claimed({ account, sha256: 'rows of may' }))).toBe(encrypted.file_id);
    // The same message again, recognizable before it is decrypted.
    expect(await find(await world.claimed({ account, sha256: encrypted.sha256 }))).toBe(encrypted.file_id);
  });
});

describe('findSameName', () => {
  it('finds the last file of that name with other bytes, whatever became of it', async () => {
    const account = 'names';
    await world.accepted({ account, name: 'monday.csv' });
    const last = await world.rejected({ account, name: 'monday.csv' });
    const file = await world.claimed({ account, name: 'monday.csv' });
    expect(await sameName(file)).toMatchObject({ file_id: last.file_id });
  });

  it('does not find the same bytes, another name, or another account', async () => {
    const earlier = await world.accepted({ name: 'friday.csv' });
    const { account, sha256, name } = earlier;
    expect(await sameName(earlier)).toBeUndefined();
    expect(await sameName(await world.claimed({ account, sha256, name }))).toBeUndefined();
    expect(await sameName(await world.claimed({ account, name: 'saturday.csv' }))).toBeUndefined();
    expect(await sameName(await world.claimed({ name }))).toBeUndefined();
  });
});

describe('findLinesAsInvoices', () => {
  beforeEach(() => world.empty());
  /** Makes a file of two rows by customer code; `#` stands for the line. */
  async function file(invoice: string, { code = 'A#', cents = 100, account = 'main' } = {}): Promise<FileRow> {
    const made = await world.accepted({ account });
    await world.force(
      `UPDATE payment_row SET invoice = replace($2, '#', line::text), customer_code = replace($3, '#', line::text),
       amount_cents = $4, last_four = '' WHERE file_no = $1`,
      [made.file_no, invoice, code, cents],
    );
    return made;
  }
  const find = async (subject: FileRow) =>
    (await ask(world.ledger.pool, findLinesAsInvoices([subject])).then(([found]) => found))[0]![0];

  it('finds the file whose lines stand where the invoices belong', async () => {
    const { file_id: fileId } = await file('INV-#');
    await file('INV-#', { cents: 200 });
    expect(await find(await file('#'))).toBe(fileId);
  });

  it.each<[string, Parameters<typeof file>]>([
    ['other invoices', ['1#']],
    ['other amounts', ['#', { cents: 101 }]],
    ['other payers', ['#', { code: 'B#' }]],
    ['another account', ['#', { account: 'other' }]],
    ['invoices of words', ['INV-#']],
  ])('finds none for %s', async (_what, made) => {
    await file('INV-#');
    expect(await find(await file(...made))).toBeUndefined();
  });

  it('finds none among files that were refused', async () => {
    const { file_id: fileId } = await file('INV-#');
    await world.putFile(fileId, 'rejected');
    expect(await find(await file('#'))).toBeUndefined();
  });

  it('finds none when one of the rows is no line of the file', async () => {
    await file('INV-#');
    const subject = await file('#');
    await world.force('UPDATE payment_row SET invoice = $2 WHERE file_no = $1 AND line = 2', [
      subject.file_no,
      'INV-2',
    ]);
    expect(await find(subject)).toBeUndefined();
  });
});

describe('hasSwappedColumns', () => {
  beforeEach(() => world.empty());
  /** Makes a file of two rows with customer codes; `#` stands for the line. */
  async function file(account: string, invoice: string, code: string): Promise<FileRow> {
    const made = await world.accepted({ account });
    await world.force(
      `UPDATE payment_row SET invoice = replace($2, '#', line::text), customer_code = replace($3, '#', line::text)
     WHERE file_no = $1`,
      [made.file_no, invoice, code],
    );
    await world.force(`UPDATE file SET layout = 'ach-code' WHERE file_no = $1`, [made.file_no]);
    return made;
  }
  const isSwapped = async (subject: FileRow) =>
    (await ask(world.ledger.pool, hasSwappedColumns([subject])).then(([found]) => found))[0];

  it('finds codes that look like no code of the account beside invoices that do', async () => {
    await file('main', 'INV-#', 'A1000#');
    expect(await isSwapped(await file('main', 'A2000#', 'INV-7#'))).toBe(true);
  });

  it.each<[string, string, string]>([
    ['codes that look as before', 'A2000#', 'B3000#'],
    ['invoices that look like no code', '2026/#', 'X-#'],
    ['codes of both kinds', 'A2000#', 'INV-7#'],
  ])('finds nothing in %s', async (what, invoice, code) => {
    await file('main', 'INV-#', 'A1000#');
    if (what === 'codes of both kinds') await file('main', 'R#', 'INV-#');
    expect(await isSwapped(await file('main', invoice, code))).toBe(false);
  });

  it('finds nothing in the first file of an account, nor by files of another account or such as were refused', async () => {
    await file('other', 'INV-#', 'A1000#');
    const refused = await file('main', 'INV-#', 'A1000#');
    await world.putFile(refused.file_id, 'rejected');
    expect(await isSwapped(await file('main', 'A2000#', 'INV-7#'))).toBe(false);
  });
});

const lastSizes = async (file: FileRow) =>
  (await ask(world.ledger.pool, readLastSizes([{ file, folder: file.folder }])).then(([found]) => found))[0]!;

/** Makes an accepted file with this many rows and cents. */
async function past(account: string, rows: number, cents: number): Promise<FileRow> {
  const file = await world.accepted({ account });
  await world.force('UPDATE file SET valid_rows = $2, valid_cents = $3 WHERE file_id = $1', [
    file.file_id,
    rows,
    cents,
  ]);
  world.clock.set(new Date(world.clock.now().getTime() + 1_000).toISOString());
  return file;
}

describe('readLastSizes', () => {
  it('knows nothing of the first file, nor where nobody asks', async () => {
    const file = await world.claimed();
    expect(await lastSizes(file)).toEqual([]);
    await past(file.account, 1, 100);
    expect(await ask(world.ledger.pool, readLastSizes([{ file, folder: undefined }])).then(([found]) => found)).toEqual(
      [[]],
    );
  });

  it('is of the last twenty only, the latest first', async () => {
    const account = 'twenty';
    for (let n = 1; n <= 23; n += 1) await past(account, n, -100 * n);
    const last = upTo(20).map((n) => ({ rows: 24 - n, cents: -100 * (24 - n) }));
    expect(await lastSizes(await world.claimed({ account }))).toEqual(last);
  });

  it('has the later one first of files that were accepted at the same moment', async () => {
    const account = 'same moment';
    for (const rows of [1, 2, 3]) await past(account, rows, 100 * rows);
    await world.force('UPDATE file SET accepted_at = $2 WHERE account = $1', [account, world.clock.now()]);
    const sizes = [3, 2, 1].map((rows) => ({ rows, cents: 100 * rows }));
    expect(await lastSizes(await world.claimed({ account }))).toEqual(sizes);
  });

  it('counts neither the file itself, nor held, refused and cancelled ones, nor other folders and accounts', async () => {
    const account = 'others';
    const own = await past(account, 5, 500);
    await world.held({ account });
    await world.rejected({ account });
    await world.putFile((await past(account, 7, 700)).file_id, 'cancelled');
    await past('another', 9, 900);
    expect(await lastSizes(own)).toEqual([]);
    expect(await lastSizes(await world.claimed({ account }))).toEqual([{ rows: 5, cents: 500 }]);
    expect(await lastSizes(await world.claimed({ account, folder: 'drop/other' }))).toEqual([]);
  });
});

describe('readAcceptedCents', () => {
  it('adds up what was accepted since, without signs, of this account', async () => {
    world.clock.set(START);
    const account = 'day';
    await past(account, 1, 10_000);
    const since = world.clock.now();
    await past(account, 1, 2_500);
    await past(account, 1, -500);
    await world.held({ account });
    await world.putFile((await past(account, 1, 9_999)).file_id, 'cancelled');
    await past('another', 1, 7_777);
    const centsSince = (from: Date) =>
      ask(world.ledger.pool, readAcceptedCents([{ file: { file_id: '', account }, since: from }])).then(
        ([found]) => found[0],
      );
    expect(await centsSince(since)).toBe(3_000);
    expect(await centsSince(new Date(START))).toBe(13_000);
    expect(await centsSince(world.clock.now())).toBe(0);
  });

  it('counts a file that came while a clock was behind, by the one that was right', async () => {
    const since = world.clock.now();
    world.clock.advance(-400 * 86_400_000);
    const { file_id: fileId } = await past('behind', 1, 5_000);
    world.clock.set(since);
    const centsNow = () =>
      ask(world.ledger.pool, readAcceptedCents([{ file: { file_id: '', account: 'behind' }, since }])).then(
        ([found]) => found[0],
      );
    expect(await centsNow()).toBe(0);
    await world.force('UPDATE file SET aged_from = $2 WHERE file_id = $1', [fileId, since]);
    expect(await centsNow()).toBe(5_000);
  });
});

/** Opens a transaction that holds the lock until `end`. */
async function holder(...accounts: string[]) {
  let end = () => {};
  const told = new Promise<void>((resolve) => {
    end = resolve;
  });
  let begun = () => {};
  const hasBegun = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const done = transact(world.ledger, async (tx) => {
    await lockDecisions(tx, ...accounts);
    begun();
    await told;
  });
  await hasBegun;
  return { end, done };
}

async function waiting(): Promise<number> {
  const { rows } = await world.ledger.pool.query<{ waiting: number }>(
    `SELECT count(*) AS waiting FROM pg_locks
     WHERE locktype = 'advisory' AND NOT granted AND ${OF_THIS_DATABASE}`,
  );
  return rows[0]!.waiting;
}

describe('lockDecisions', () => {
  it('lets one transaction of an account decide at a time', async () => {
    const first = await holder('main');
    const order: string[] = [];
    const second = transact(world.ledger, async (tx) => {
      await lockDecisions(tx, 'main');
      order.push('second');
    });
    await expect.poll(waiting).toBe(1);
    order.push('first');
    first.end();
    await Promise.all([first.done, second]);
    expect(order).toEqual(['first', 'second']);
  });

  it.each(['first', 'second'])('of several accounts lets nobody else decide for the %s', async (account) => {
    for (const name of ['first', 'second']) await world.claimed({ account: name });
    const several = await holder('second', 'first');
    let isLocked = false;
    const other = transact(world.ledger, async (tx) => {
      await lockDecisions(tx, account);
      isLocked = true;
    });
    await expect.poll(async () => isLocked || (await waiting()) === 1).toBe(true);
    const wasHeldUp = !isLocked;
    several.end();
    await Promise.all([several.done, other]);
    expect(wasHeldUp).toBe(true);
  });

  it('does not hold up another account', async () => {
    const first = await holder('main');
    const other = await holder('other');
    for (const { end, done } of [first, other]) {
      end();
      await done;
    }
    expect(await waiting()).toBe(0);
  });
});
