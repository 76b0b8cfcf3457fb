import { chargedOf } from '../support/bind-for-test.ts';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../src/app.ts';
import { cancelBatch } from '../../src/ledger/file/cancel-file.ts';
import { readFileRow } from '../../src/ledger/file/read-file.ts';
import { readResubmissions } from '../../src/ledger/row/resubmissions.ts';
import type { FileRow } from '../../src/ledger/engine/records.ts';
import { dropAgain, planAgain, planResubmission, resubmitRows, type Selection } from '../../src/actions/resubmit.ts';
import { CARD, cardRow, lines, upTo } from '../support/payment-rows.ts';
import { openStepWorld } from '../workers/support/step-world.ts';
import { query, takeIn } from '../workers/support/story.ts';
import { carryOut } from '../workers/support/resolve-context.ts';
import { openedForTests } from '../support/opened-for-tests.ts';
import { deliverFile } from '../support/work-alone.ts';

const world = openedForTests(() =>
  openStepWorld({
    accounts: 8,
    settings: { batch: { maxRows: 10 } },
    folder: { badRows: { maxPercent: 50 } },
  }),
);

const because = { actor: 'operator:ada', reason: 'the line is up again' };

/** The service's messages for lines 1 to 8; line 9 is invalid. */
const MESSAGES = [
  'OK: 678594:',
  'REJECT: 15',
  'REJECT: 22',
  'REJECT: 7',
  'REJECT: 55',
  'Wrong Format',
  'something nobody has listed',
  'Received',
];

async function finishedFile(folderMore: Partial<{ header: string }> = {}): Promise<FileRow> {
  const account = world.freshAccount();
  const rows = [
    ...upTo(8).map((n) => cardRow(n, { street: n === 3 ? '"1, Mill Lane"' : '1 Mill Lane' })),
    cardRow(9, { amount: 'ten' }),
  ];
  const head = folderMore.header ? [folderMore.header] : [];
  const fileId = await takeIn(world.app, `drop/${account}/card`, lines([...head, ...rows]), 'june.csv');
  await carryOut(world.app, fileId, (row) => MESSAGES[row - 1]!);
  await deliverFile(world.app, { fileId });
  return readFileRow(world.app.ledger, fileId);
}

async function dropped(file: FileRow): Promise<Record<string, string>> {
  const dir = world.app.folder(file.folder)!.path;
  const names = await readdir(dir);
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(join(dir, name), 'utf8')])),
  );
}

async function outcomesByLine(file: FileRow): Promise<Record<string, string>> {
  const rows = await query<{ line: number; outcome: string }>(
    world.app,
    'SELECT line, outcome FROM row_outcome WHERE file_no = $1 ORDER BY line',
    [file.file_no],
  );
  return Object.fromEntries(rows.map((row) => [row.line, row.outcome]));
}

describe('planResubmission and resubmitRows', () => {
  let file: FileRow;
  beforeAll(async () => {
    file = await finishedFile();
  });

  it('have a file of every outcome to choose from', async () => {
    expect(await outcomesByLine(file)).toMatchObject({
      1: 'approved',
      2: 'declined',
      3: 'declined',
      4: 'declined',
      6: 'format_error',
      7: 'unknown',
    });
  });

  it.each([
    [undefined, [2, 3, 6]],
    ['declined', [2, 3]],
    ['retryable', [3]],
    ['format', [6]],
    ['not-sent', []],
  ] as [Selection | undefined, number[]][])(
    'choose by %s the lines %j, never one that may be charged',
    async (only, chosen) => {
      expect(await planResubmission(world.app, file, only)).toEqual({
        lines: chosen,
        cents: chosen.length * 2_500,
        barred: 0,
        shown: [],
        unproven: [],
      });
    },
  );

  it('write the rows as they stand in the original into the folder that the old file came through', async () => {
    const plan = await planResubmission(world.app, file, 'retryable');
    const { name, sha256 } = (await resubmitRows(world.app, file, plan, because))!;
    expect(name).toBe(`june__${file.file_id.slice(0, 8)}-again-1.csv`);
    const { [name]: text = '', ...others } = await dropped(file);
    expect(others).toEqual({});
    const [titles, ...rows] = text.split('\r\n');
    expect(titles).toMatch(/^Date,Invoice/);
    expect(rows).toEqual([`06/15/2026,C-3,Ada,Byron,"1, Mill Lane",Troy,NY,12180,25.00,VISA,${CARD},12/35`, '']);
    expect(await readResubmissions(world.app.ledger, file.file_id)).toMatchObject([
      { name, sha256, rows: 1, cents: 2_500, reason: because.reason, new_file_id: null },
    ]);
  });

  it('choose each row once, and say how many are left out', async () => {
    expect(await planResubmission(world.app, file)).toMatchObject({ lines: [2, 6], cents: 5_000, barred: 1 });
  });

  it('drop a file again that never came back, as the same bytes, and not while it still lies there', async () => {
    const [earlier] = await readResubmissions(world.app.ledger, file.file_id);
    const plan = await planAgain(world.app, file, earlier!);
    await expect(dropAgain(world.app, file, plan, because)).rejects.toMatchObject({ code: 'OUTPUT_EXISTS' });
    const path = join(world.app.folder(file.folder)!.path, earlier!.name);
    const before = await readFile(path, 'utf8');
    await rm(path);
    expect(await dropAgain(world.app, file, plan, because)).toBe(true);
    expect(await readFile(path, 'utf8')).toBe(before);
    expect(Object.keys(await dropped(file))).toEqual([earlier!.name]);
    await rm(path);
    const other = { ...plan, earlier: { ...earlier!, sha256: 'other' } };
    await expect(dropAgain(world.app, file, other, because)).rejects.toMatchObject({ code: 'OUTPUT_MISMATCH' });
    expect(await dropped(file)).toEqual({});
  });

  it('bring the new file back the whole way, linked with the old one', async () => {
    const plan = await planResubmission(world.app, file, 'format');
    const { name } = (await resubmitRows(world.app, file, plan, because))!;
    const text = (await dropped(file))[name]!;
    await rm(join(world.app.folder(file.folder)!.path, name));
    const again = await takeIn(world.app, file.folder, text, name);
    expect(await readFileRow(world.app.ledger, again)).toMatchObject({
      state: 'accepted',
      valid_rows: 1,
      header_line: 1,
    });
    const resubmissions = await readResubmissions(world.app.ledger, file.file_id);
    expect(resubmissions.map((row) => row.new_file_id)).toEqual([null, again]);
  });

  it('leave no note when the file cannot be dropped, and no file when it cannot be noted', async () => {
    const plan = await planResubmission(world.app, file, 'declined');
    const name = `june__${file.file_id.slice(0, 8)}-again-3.csv`;
    const path = join(world.app.folder(file.folder)!.path, name);
    await writeFile(path, 'taken');
    await expect(resubmitRows(world.app, file, plan, because)).rejects.toMatchObject({ code: 'OUTPUT_EXISTS' });
    await rm(path);
    expect(await readResubmissions(world.app.ledger, file.file_id)).toHaveLength(2);
    await expect(resubmitRows(world.app, file, { ...plan, lines: [1] }, because)).rejects.toMatchObject({
      code: 'MOVE_REFUSED',
    });
    expect(await dropped(file)).toEqual({});
  });
});

describe('planResubmission', () => {
  it('goes by what a row is now', async () => {
    const file = await finishedFile({ header: 'Date,Invoice,First,Last,Street,City,State,Zip,Amount,MOP,Card,Expiry' });
    await query(
      world.app,
      `INSERT INTO row_change (file_no, line, correction_no, outcome, message, "authorization", at, source)
       VALUES ($1, 3, 1, 'approved', 'OK', '', now(), 'asked again'), ($1, 8, 1, 'declined', 'REJECT: 22', '', now(), 'asked again')`,
      [file.file_no],
    );
    const { lines: chosen } = await planResubmission(world.app, file);
    expect(chosen).not.toContain(3);
    expect(chosen).toContain(8);
  });

  it('takes the rows of cancelled batches', async () => {
    const account = world.freshAccount();
    const content = lines(upTo(12).map((n) => cardRow(n)));
    const fileId = await takeIn(world.app, `drop/${account}/card`, content, 'july.csv');
    await cancelBatch(world.app.ledger, { fileId, batchNo: 1 }, because);
    await cancelBatch(world.app.ledger, { fileId, batchNo: 2 }, because);
    const file = await readFileRow(world.app.ledger, fileId);
    expect(file.state).toBe('cancelled');
    expect((await planResubmission(world.app, file, 'not-sent')).lines).toEqual(upTo(12));
    expect((await planResubmission(world.app, file, 'declined')).lines).toEqual([]);
  });
});

/** The service's lists: approved payments of these invoices, and nothing rejected. */
function reporting(invoices: readonly string[]): App {
  const titles = 'Transaction ID,Invoice Number,Date Time,Client Code,Customer Code,Method of Payment,Amount,Result';
  const rows = invoices.map((invoice) => `A1,${invoice},06/15/2026 10:00:00,X,Quick Client,VISA,25.00,OK:678594:`);
  const list = (csv: string) => async () => ({ kind: 'read', report: { entries: [], csv } }) as const;
  const reports = {
    ...world.app.reports(chargedOf(world.app.ledger, 'account-8')),
    getCreditCardApprovedDateRangeCSV: list([titles, ...rows].map((line) => `${line}\r\n`).join('')),
    getCreditCardRejectDateRangeCSV: list(''),
  };
  const account = (name: string) => ({ ...world.app.account(name), agentCode: 'X' });
  return { ...world.app, account, reports: () => reports };
}

describe('rows that reports of the service lacked', () => {
  /** Lines 2 and 4 count as not charged. */
  async function fileOfLacked(): Promise<FileRow> {
    const file = await finishedFile();
    await query(
      world.app,
      `INSERT INTO row_change (file_no, line, correction_no, outcome, message, "authorization", at, source)
       SELECT $1, line, 1, 'not_charged', 'two reports lack it', '', now(), 'a test' FROM unnest('{2,4}'::int[]) AS line`,
      [file.file_no],
    );
    return file;
  }

  it('stay while the newest report cannot prove that they are lacking still; others go', async () => {
    const file = await fileOfLacked();
    const app = reporting(['C-99']);
    const plan = await planResubmission(app, file);
    expect(plan).toMatchObject({
      lines: [3, 6],
      cents: 5_000,
      shown: [],
      unproven: [{ batchNo: 1, lines: [2, 4], why: expect.stringContaining('proves nothing') }],
      report: { lines: 1 },
    });
    expect(await resubmitRows(app, file, plan, because)).toMatchObject({ name: expect.any(String) });
    expect((await planResubmission(app, file)).lines).toEqual([]);
  });

  it('get their outcome corrected when the newest report may show them, and never go out again', async () => {
    const file = await fileOfLacked();
    const app = reporting(['c 2']);
    const plan = await planResubmission(app, file, 'not-sent');
    expect(plan).toMatchObject({ lines: [], cents: 0, shown: [{ batchNo: 1, row: { line: 2, outcome: 'unknown' } }] });
    expect(await presentOutcome(file, 2)).toBe('not_charged');
    expect(await resubmitRows(app, file, plan, because)).toBeUndefined();
    expect(await presentOutcome(file, 2)).toBe('unknown');
    expect(await planResubmission(app, file, 'not-sent')).toMatchObject({
      lines: [],
      shown: [],
      unproven: [{ lines: [4] }],
    });
    expect(await dropped(file)).toEqual({});
  });

  it('keep the file of an earlier resubmission from being dropped again, which then is given up', async () => {
    const file = await fileOfLacked();
    const plan = { lines: [2, 3], cents: 5_000, barred: 0, shown: [], unproven: [] };
    const { name } = (await resubmitRows(world.app, file, plan, because))!;
    await rm(join(world.app.folder(file.folder)!.path, name));
    const [earlier] = await readResubmissions(world.app.ledger, file.file_id);
    const unproven = await planAgain(reporting(['C-99']), file, earlier!);
    expect(unproven).toMatchObject({ lines: [2, 3], shown: [], unproven: [{ lines: [2] }] });
    expect(await dropAgain(world.app, file, unproven, because)).toBe(false);
    const shown = await planAgain(reporting(['C-2']), file, earlier!);
    expect(await dropAgain(world.app, file, shown, because)).toBe(false);
    expect(await dropped(file)).toEqual({});
    expect(await presentOutcome(file, 2)).toBe('unknown');
    expect(await readResubmissions(world.app.ledger, file.file_id)).toMatchObject([{ new_file_id: null, charged: 1 }]);
  });
});

async function presentOutcome(file: FileRow, line: number): Promise<string | undefined> {
  const text = 'SELECT outcome FROM current_outcome WHERE file_no = $1 AND line = $2';
  return (await query<{ outcome: string }>(world.app, text, [file.file_no, line]))[0]?.outcome;
}
