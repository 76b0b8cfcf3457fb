import { describe, expect, it } from 'vitest';
import { canonicalBytes, unpackRows } from '../../../src/csv/write/packed-rows.ts';
import { mostRowsNext, type PaymentRow } from '../../../src/rows/rows.ts';
import { sha256Of } from '../../../src/kernel/hash.ts';
import { checkContent, rulesOfFolder, unreadCheck } from '../../../src/explain/validate/check-content.ts';
import { openSeenBefore } from '../../../src/explain/validate/seen-before.ts';
import { readFileRow } from '../../../src/ledger/file/read-file.ts';
import { achRow, cardRow, lines, upTo } from '../../support/payment-rows.ts';
import { openEarlierPaymentsWorld } from '../../workers/support/look-back-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { AccountConfig, FolderConfig } from '../../../schemas/config.ts';
import { ERRORS } from '../../../schemas/errors.ts';
import { keepCopy } from '../../../src/explain/validate/profile-faults.ts';

const world = openedForTests(openEarlierPaymentsWorld);

async function search(account: string, rows: readonly string[], { mostFaults = 200, app = world.app } = {}) {
  const folder = world.app.folder(`drop/${account}/hold`)!;
  const found = await openSeenBefore(app, folder, mostFaults);
  const taken: PaymentRow[] = [];
  async function* source(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(lines(rows));
  }
  const rules = rulesOfFolder(world.app.account(account), folder, world.app.clock.now());
  await checkContent(source(), rules, (group) => {
    taken.push(...unpackRows(group));
    return found.take(group);
  });
  return { ...(await found.end()), taken };
}

it('openSeenBefore marks the rows as the intake does, in whatever order', async () => {
  const account = world.freshAccount();
  const rows = upTo(3).map((n) => achRow(n));
  const { row_set: mark } = await readFileRow(world.app.ledger, await world.take(account, 'any', rows));
  expect(await search(account, rows.toReversed())).toMatchObject({ rowSet: mark });
  expect(await search(account, rows.slice(1))).not.toMatchObject({ rowSet: mark });
  expect(await search(account, [])).toMatchObject({ rowSet: null, charged: [], sentBefore: undefined });
});

it('openSeenBefore counts every row that may have been charged, and keeps the first faults', async () => {
  const account = world.freshAccount();
  const first = await world.take(
    account,
    'any',
    upTo(5).map((n) => achRow(n)),
  );
  const found = await search(account, [achRow(9), ...upTo(4).map((n) => achRow(n))], { mostFaults: 2 });
  expect(found.charged).toEqual([{ code: 'CHARGED_BEFORE', rows: 4, detail: `line 1 of file ${first}` }]);
  expect(found.chargedFaults).toEqual([
    { code: 'CHARGED_BEFORE', line: 2, detail: `line 1 of file ${first}` },
    { code: 'CHARGED_BEFORE', line: 3, detail: `line 2 of file ${first}` },
  ]);
});

it('openSeenBefore finds rows that are like others of the file, also where no other file is looked at', async () => {
  const rows = [achRow(1, { invoice: 'One-01' }), achRow(1, { invoice: 'ONE 1' }), achRow(2)];
  const found = await search(world.freshAccount(), rows);
  expect(found.charged).toEqual([{ code: 'LIKE_ROW', rows: 1, detail: 'line 1 of this file' }]);
  expect(found.chargedFaults).toEqual([{ code: 'LIKE_ROW', line: 2, detail: 'line 1 of this file' }]);
});

it('openSeenBefore cuts batches as the intake does, to know calls that the ledger had forgotten', async () => {
  const account = world.freshAccount();
  const maxRows = mostRowsNext(world.app.settings.batch.maxRows, 0);
  const rows = upTo(maxRows + 2).map((n) => achRow(n));
  const { taken } = await search(account, rows);
  const second = taken.slice(maxRows);
  const at = new Date('2026-06-01T08:00:00Z');
  await world.app.ledger.pool.query(
    `INSERT INTO forgotten_send (account, merchant_no, file_id, batch_no, attempt, sha256, since, at)
     VALUES ($1, merchant_of($1), 'lost', 7, 1, $2, $3, $3)`,
    [account, sha256Of(canonicalBytes(second)), at],
  );
  expect((await search(account, rows)).sentBefore).toBe(`batch 2 was sent at ${at.toISOString()} from file lost`);
  const shorter = await search(account, rows.slice(0, -1));
  expect(shorter.sentBefore).toBeUndefined();
  await world.app.ledger.pool.query('UPDATE forgotten_send SET row_set = $2 WHERE account = $1', [
    account,
    shorter.rowSet,
  ]);
  expect((await search(account, rows.slice(0, -1).toReversed())).sentBefore).toContain('from file lost');
});

it('openSeenBefore cuts the growing batches of a large file as the intake does', async () => {
  const account = world.freshAccount();
  const app = { ...world.app, settings: { ...world.app.settings, batch: { maxRows: 'auto' as const } } };
  const rows = upTo(51_005).map((n) => achRow(n));
  // A hundred and one batches of 500 come before.
  await world.app.ledger.pool.query(
    `INSERT INTO forgotten_send (account, merchant_no, file_id, batch_no, attempt, sha256, since, at)
     VALUES ($1, merchant_of($1), 'lost', 8, 1, $2, now(), now())`,
    [account, sha256Of(rows.slice(50_500).join('\n'))],
  );
  expect((await search(account, rows, { app })).sentBefore).toContain('batch 102 was sent');
});

it('openSeenBefore begins a batch where the intake does, before a row that a result could confuse', async () => {
  const account = world.freshAccount();
  const rows = [1, 2, 10_001, 3].map((n) => achRow(n, { invoice: 'DUES' }));
  const { taken } = await search(account, rows);
  await world.app.ledger.pool.query(
    `INSERT INTO forgotten_send (account, merchant_no, file_id, batch_no, attempt, sha256, since, at)
     VALUES ($1, merchant_of($1), 'lost', 2, 1, $2, now(), now())`,
    [account, sha256Of(canonicalBytes(taken.slice(2)))],
  );
  expect((await search(account, rows)).sentBefore).toMatch(/^batch 2 was sent at /);
});

const account = AccountConfig.parse({
  server: 'NA',
  country: 'US',
  currency: 'USD',
  agentCode: 'A',
  password: 'P',
});
const folder = FolderConfig.parse({ path: 'drop', account: 'main', operation: 'card' });
const rules = rulesOfFolder(account, { ...folder, routingCheck: false }, new Date('2026-06-15T12:00:00Z'));
async function* pieces(text: string): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < text.length; at += 1_000) yield Buffer.from(text.slice(at, at + 1_000));
}

describe('checkContent', () => {
  it('checkContent hands on every row, and reads on only when a group was taken', async () => {
    const taken: number[] = [];
    let isTaking = false;
    const text = lines(upTo(1_500).map((n) => cardRow(n, n === 700 ? { amount: 'ten' } : {})));
    const check = await checkContent(pieces(text), rules, async ({ packed, withheld }) => {
      expect(isTaking).toBe(false);
      isTaking = true;
      await Promise.resolve();
      taken.push(...packed.lines.subarray(0, packed.count), ...withheld.map(({ raw }) => raw.line));
      isTaking = false;
    });
    expect(taken.toSorted((one, other) => one - other)).toEqual(upTo(1_500));
    expect(check).toMatchObject({ verdict: 'accept', records: 1_500, valid: { rows: 1_499, cents: 149_900 * 25 } });
  });
  it('checkContent passes on what goes wrong with the source', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(lines([cardRow(1)]));
      throw new Error('cut off');
    }
    await expect(checkContent(broken(), rules, () => {})).rejects.toThrow('cut off');
  });
  it('checkContent says the same of a file that is taken for a large one, and passes on what goes wrong', async () => {
    const text = lines(upTo(4_000).map((n) => cardRow(n, n % 700 === 0 ? { amount: 'ten' } : {})));
    const plain = await checkContent(pieces(text), rules, () => {});
    expect(await checkContent(pieces(text), rules, () => {}, { contentBytes: 1_000_000_000 })).toEqual(plain);
    const failing = checkContent(pieces(text), rules, () => Promise.reject(new Error('full')), {
      contentBytes: 1_000_000_000,
    });
    await expect(failing).rejects.toThrow('full');
  });
});

describe('rulesOfFolder', () => {
  const account = AccountConfig.parse({
    server: 'NA',
    country: 'US',
    currency: 'USD',
    agentCode: 'A',
    password: 'P',
    timeZone: 'Pacific/Auckland',
    limits: { rowAmount: 100, fileRows: 7 },
    secondPerson: { refunds: true },
  });
  it.each([
    ['card', {}, { largestRowCents: 10_000, approvalDue: false, maxBytes: 1_073_741_824 }],
    [
      'ach-charge',
      { limits: { rowAmount: 5 }, maxBytes: 9 },
      { largestRowCents: 500, approvalDue: false, maxBytes: 9 },
    ],
    ['ach-refund', { limits: { fileTotal: 3 } }, { approvalDue: true, limits: { fileRows: 7, fileCents: 300 } }],
  ] as const)(
    'rulesOfFolder has for %s the tighter limits, and says what waits for approval',
    (operation, more, rules) => {
      const folder = FolderConfig.parse({ path: 'drop', account: 'main', operation, ...more });
      const found = rulesOfFolder(account, { ...folder, routingCheck: false }, new Date('2026-06-15T20:00:00Z'));
      // The account's own day decides which cards have expired.
      expect(found).toMatchObject({ operation, folder, today: '2026-06-16', ...rules });
    },
  );
});

it('unreadCheck says the one fault, and that nothing was read', () => {
  const file = { bytes: 9, sha256: 'ab' };
  const { check, decision } = unreadCheck({ code: 'PGP_WRONG_KEY', detail: 'it is for AB' }, file);
  expect(decision).toEqual({
    verdict: 'reject',
    code: 'PGP_WRONG_KEY',
    reason: `${ERRORS.PGP_WRONG_KEY.means}: it is for AB`,
  });
  expect(check).toMatchObject({ ...file, verdict: 'reject', records: 0, faultCounts: { PGP_WRONG_KEY: 1 } });
  expect(check.faults).toEqual([{ code: 'PGP_WRONG_KEY', line: 0, detail: 'it is for AB' }]);
  expect(unreadCheck({ code: 'PGP_PLAIN' }, file).decision).toMatchObject({ reason: ERRORS.PGP_PLAIN.means });
});

/** Yields each text in the same memory. */
async function* overwriting(texts: readonly string[]): AsyncGenerator<Uint8Array> {
  const memory = Buffer.alloc(8);
  for (const text of texts) yield memory.subarray(0, memory.write(text));
}

async function textOf(source: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  for await (const piece of source) text += Buffer.from(piece).toString();
  return text;
}

describe('keepCopy', () => {
  it('reads a file again as often as wanted, though its pieces came in the same memory', async () => {
    const { source, reopener } = keepCopy(overwriting(['abc', 'de']), 5);
    expect(await textOf(source)).toBe('abcde');
    const open = reopener()!;
    expect([await textOf(open()), await textOf(open())]).toEqual(['abcde', 'abcde']);
  });

  it('passes a larger file on without a copy', async () => {
    const { source, reopener } = keepCopy(overwriting(['abc', 'def', 'g']), 5);
    expect(await textOf(source)).toBe('abcdefg');
    expect(reopener()).toBeUndefined();
  });
});
