import { beforeEach, describe, expect, it } from 'vitest';
import { OUTCOMES, type SentOutcome } from '../../../schemas/lifecycle.ts';
import type { NewRow } from '../../../src/ledger/copy/row-tuples.ts';
import { copyOutcomes } from '../../../src/ledger/row/copy-rows.ts';
import { copyRows } from '../support/put-rows.ts';
import { noteVolumes } from '../../../src/ledger/duplicates/fingerprint-volumes.ts';
import { flagChargedRows } from '../../../src/ledger/duplicates/flag-charged-rows.ts';
import { recordResubmission } from '../../../src/ledger/row/resubmissions.ts';
import { readFaults } from '../../../src/ledger/file/read-file.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { type Transaction, transact } from '../../../src/ledger/engine/transaction.ts';
import { openTestLedger, putFingerprints, START } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

const DAY_MS = 86_400_000;
const LONG_AGO = new Date(0);

/**
 * Makes a file with rows on lines 2 and 3, and another that repeats them on lines 1 and 2. Each starts its own volume
 * unless `volume` makes them share one.
 */
async function twoFiles(
  changes: { volume?: number; later?: Placed } = {},
): Promise<{ earlier: FileRow; later: FileRow }> {
  const earlier = await world.claimed();
  const volume = changes.volume ?? earlier.file_no;
  await transact(world.ledger, async (tx) => {
    await putRows(tx, earlier, { like: earlier, firstLine: 2, volume });
    await noteVolumes(tx, [{ file: earlier, volume, rows: 2, agedFrom: earlier.claimed_at }]);
  });
  await putBatch(earlier);
  const later = await world.claimed({ account: earlier.account });
  await transact(world.ledger, (tx) =>
    putRows(tx, later, { like: earlier, firstLine: 1, volume: changes.volume ?? later.file_no, ...changes.later }),
  );
  return { earlier, later };
}

async function putBatch({ file_id: fileId, account }: FileRow): Promise<void> {
  const batch = `INSERT INTO batch (file_id, batch_no, account, operation, state, state_at, rows, cents, body_sha256, first_line, last_line)
                 VALUES ($1, 1, $2, 'ach-charge', 'ready', $3, 2, 5000, 'x', 2, 3)`;
  await world.ledger.pool.query(batch, [fileId, account, new Date(START)]);
}

async function anotherFile({ account }: FileRow): Promise<FileRow> {
  const file = await world.claimed({ account });
  await putBatch(file);
  return file;
}

/** How the rows differ; `kind` is the kind of payer in the fingerprints. */
type Placed = { kind?: number } & Partial<Pick<NewRow, 'invoice' | 'customerCode' | 'amountCents' | 'lastFour'>>;

/** Puts two rows into a file. Files with the same `like` get the same fingerprints, except for the kind of payer. */
async function putRows(
  tx: Transaction,
  file: FileRow,
  { like, firstLine, volume, kind = 0, ...row }: Placed & { like: FileRow; firstLine: number; volume: number },
): Promise<void> {
  const rows = [0, 1].map((n) => ({
    line: firstLine + n,
    fingerprint: (BigInt(-10 * like.file_no - n) << 32n) + (BigInt(kind) << 30n) + BigInt(kind),
    batchNo: 1,
    invoice: 'INV',
    customerCode: 'A1',
    amountCents: 2_500,
    lastFour: '',
    ...row,
  }));
  await copyRows(tx, file.file_no, rows);
  await putFingerprints(tx, file, volume, rows);
}

function flag(file: FileRow, options: { since?: Date; firstSeq?: number; stepRows?: number; volume?: number } = {}) {
  const all = { since: LONG_AGO, volume: file.file_no, rows: 2, manyRows, firstSeq: 1, ...options };
  return transact(world.ledger, (tx) => flagChargedRows(tx, file, all));
}

async function faultsOf(file: FileRow) {
  const faults = [];
  for await (const page of readFaults(world.ledger, file.file_no)) faults.push(...page);
  return faults;
}

/** Set by the suite to choose the path under test. */
let manyRows = 0;

describe.each([
  ['looks its rows up', Infinity],
  ['reads the other files', 0],
])('flagChargedRows, where it %s', (_way, limit) => {
  beforeEach(() => {
    manyRows = limit;
  });

  it('flags every row that stands in another file, and names file and line', async () => {
    const { earlier, later } = await twoFiles();
    const detail = (line: number) => `line ${line} of file ${earlier.file_id}`;
    expect(await flag(later)).toEqual([{ code: 'CHARGED_BEFORE', rows: 2, detail: detail(2) }]);
    expect(await faultsOf(later)).toEqual([
      { code: 'CHARGED_BEFORE', line: 1, detail: detail(2) },
      { code: 'CHARGED_BEFORE', line: 2, detail: detail(3) },
    ]);
  });

  it('numbers the faults on from those before, and flags a row once, in however many files it stands', async () => {
    const { earlier, later } = await twoFiles();
    const third = await anotherFile(earlier);
    await transact(world.ledger, async (tx) => {
      await putRows(tx, third, { like: earlier, firstLine: 2, volume: earlier.file_no });
      await noteVolumes(tx, [{ file: third, volume: earlier.file_no, rows: 2, agedFrom: third.claimed_at }]);
    });
    const flagged = await flag(later, { firstSeq: 7, stepRows: 0 });
    expect(flagged).toEqual([{ code: 'CHARGED_BEFORE', rows: 2, detail: `line 2 of file ${earlier.file_id}` }]);
    const { rows } = await world.ledger.pool.query('SELECT seq, line FROM row_fault WHERE file_no = $1 ORDER BY seq', [
      later.file_no,
    ]);
    expect(rows).toEqual([
      { seq: 7, line: 1 },
      { seq: 8, line: 2 },
    ]);
  });

  it('finds a row that stands in the same volume as well', async () => {
    const { file_no: volume } = await world.claimed();
    const { later } = await twoFiles({ volume });
    expect(await flag(later, { volume })).toMatchObject([{ rows: 2 }]);
  });

  it('finds none of another account, whose payments have other prints anyway', async () => {
    const { later } = await twoFiles();
    expect(await flag({ ...later, account: 'elsewhere' })).toEqual([]);
  });

  it('says nothing of a file that stands alone', async () => {
    const { earlier } = await twoFiles();
    const alone = await world.accepted();
    expect(await flag(alone)).toEqual([]);
    expect(await faultsOf(alone)).toEqual([]);
    // The account also has the later file, but that was never cut into batches.
    expect(await flag(earlier, {})).toEqual([]);
  });

  it.each<[string, Placed]>([
    ['whose invoice is written in another way', { invoice: 'inv-0' }],
    ['whose code is written in another way', { customerCode: 'a-01' }],
    ['of a card instead of a code', { kind: 1, customerCode: '', lastFour: '2220' }],
    ['of an account instead of a code', { kind: 2, customerCode: '', lastFour: '0001', invoice: 'Inv' }],
  ])('flags a row %s as one like it', async (_what, changes) => {
    const { earlier, later } = await twoFiles({ later: changes });
    expect(await flag(later)).toEqual([{ code: 'LIKE_CHARGED', rows: 2, detail: `line 2 of file ${earlier.file_id}` }]);
    expect((await faultsOf(later)).map(({ code }) => code)).toEqual(['LIKE_CHARGED', 'LIKE_CHARGED']);
  });

  it.each<[string, Placed]>([
    ['invoice', { invoice: 'INV-2' }],
    ['amount', { amountCents: 2_501 }],
    ['code', { customerCode: 'A2' }],
    ['number', { lastFour: '0001' }],
    ['invoice, of a card', { kind: 1, customerCode: '', lastFour: '2220', invoice: 'INV-2' }],
    ['amount, of a card', { kind: 1, customerCode: '', lastFour: '2220', amountCents: 1 }],
  ])('flags no row whose fingerprint is the same by chance, with another %s', async (_what, changes) => {
    const { later } = await twoFiles({ later: changes });
    expect(await flag(later)).toEqual([]);
  });

  it('looks back no further than it is told', async () => {
    const { later } = await twoFiles();
    const claimedMs = new Date(START).getTime();
    expect(await flag(later, { since: new Date(claimedMs + DAY_MS) })).toEqual([]);
    expect(await flag(later, { since: new Date(claimedMs) })).toMatchObject([{ rows: 2 }]);
  });

  it.each(
    (Object.keys(OUTCOMES) as SentOutcome[]).filter((name) => !['not_sent', 'invalid', 'not_charged'].includes(name)),
  )('counts a row that is %s unless it is certain that it was not charged', async (outcome) => {
    const { earlier, later } = await twoFiles();
    const rows = [2, 3].map((line) => ({ line, outcome, code: null, message: 'x', authorization: '' }));
    await transact(world.ledger, (tx) => copyOutcomes(tx, earlier.file_no, rows));
    expect(await flag(later)).toMatchObject(OUTCOMES[outcome].certainlyNotCharged ? [] : [{ rows: 2 }]);
  });

  it('counts a row that reports lacked, but not for a file that we made of it ourselves', async () => {
    const { earlier, later } = await twoFiles();
    const lacked = [2, 3].map((line) => ({
      line,
      outcome: 'not_charged' as const,
      code: null,
      message: 'x',
      authorization: '',
    }));
    await transact(world.ledger, (tx) => copyOutcomes(tx, earlier.file_no, lacked));
    await world.putBatch({ fileId: earlier.file_id, batchNo: 1 }, 'reconciled');
    const file = await world.putFile(earlier.file_id, 'completed');
    const because = { actor: 'operator:ada', reason: 'again' };
    await recordResubmission(world.ledger, file, { name: 'n', sha256: 'again', lines: [3], cents: 2_500 }, because);
    const detail = (line: number) => `line ${line} of file ${earlier.file_id}, which reports of the service lacked`;
    expect(await flag(later)).toEqual([{ code: 'CHARGED_BEFORE', rows: 2, detail: detail(2) }]);
    await world.force('DELETE FROM row_fault WHERE file_no = $1', [later.file_no]);
    await world.force('UPDATE resubmission SET new_file_id = $1 WHERE file_id = $2', [later.file_id, earlier.file_id]);
    // Line 2 was never resubmitted, so the service was not queried about it again.
    expect(await flag(later)).toEqual([{ code: 'CHARGED_BEFORE', rows: 1, detail: detail(2) }]);
  });

  it('believes the last outcome: a declined row that turned out charged counts', async () => {
    const { earlier, later } = await twoFiles();
    const declined = [2, 3].map((line) => ({
      line,
      outcome: 'declined' as const,
      code: 2,
      message: 'x',
      authorization: '',
    }));
    await transact(world.ledger, (tx) => copyOutcomes(tx, earlier.file_no, declined));
    await world.ledger.pool.query(
      `INSERT INTO row_change (file_no, line, correction_no, outcome, message, "authorization", at, source)
       VALUES ($1, 3, 1, 'approved', 'OK', '', $2, 'asked again')`,
      [earlier.file_no, new Date(START)],
    );
    expect(await flag(later)).toEqual([
      { code: 'CHARGED_BEFORE', rows: 1, detail: `line 3 of file ${earlier.file_id}` },
    ]);
  });

  it('does not count a batch that was cancelled, and counts one in doubt', async () => {
    const { earlier, later } = await twoFiles();
    await world.putBatch({ fileId: earlier.file_id, batchNo: 1 }, 'cancelled');
    expect(await flag(later)).toEqual([]);
    await world.putBatch({ fileId: earlier.file_id, batchNo: 1 }, 'unknown');
    expect(await flag(later)).toMatchObject([{ rows: 2 }]);
  });
});
