import { existsSync } from 'node:fs';
import { appendFile, readdir, stat, utimes, writeFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import type { Claim } from '../../../src/files/claims/finish-claim.ts';
import { declineFile } from '../../../src/ledger/file/release-held.ts';
import { readBatches } from '../../../src/ledger/file/read-file.ts';
import { openOriginal } from '../../../workers/open-original.ts';
import { achRow, lines, upTo } from '../../support/payment-rows.ts';
import { beforeStatement, stepWorld } from '../support/step-world.ts';
import { claimContent, rungBy } from '../support/story.ts';
import { intakeFile, takeClaim } from '../../support/work-alone.ts';

const world = stepWorld({ accounts: 24 });

const ROWS = lines(upTo(5).map((n) => achRow(n)));

/** Claims a file that the ledger knows but has not read yet. */
async function claimed(
  account: string,
  content: string = ROWS,
  name = 'june.csv',
  operation = 'ach-charge',
): Promise<Claim> {
  const claim = await claimContent(world.app, `drop/${account}/${operation}`, name, content);
  await takeClaim(world.app, claim);
  return claim;
}

async function rowsOf(fileId: string): Promise<{ line: number; batch_no: number | null }[]> {
  return world.query(
    'SELECT line, batch_no FROM payment_row JOIN file USING (file_no) WHERE file_id = $1 ORDER BY line',
    [fileId],
  );
}

async function faultsOf(fileId: string): Promise<{ code: string; line: number; detail: string | null }[]> {
  return world.query(
    'SELECT code, line, detail FROM row_fault JOIN file USING (file_no) WHERE file_id = $1 ORDER BY seq',
    [fileId],
  );
}

describe('intakeFile', () => {
  it('accepts a good file: rows, batches, audit, rings, and no plain bytes any more', async () => {
    const claim = await claimed(world.freshAccount());
    const asks = await rungBy(() => intakeFile(world.app, claim));
    expect(asks).toEqual(['deliver', 'submit']);
    expect(await world.file(claim.fileId)).toMatchObject({
      state: 'accepted',
      reason_code: null,
      layout: 'ach',
      physical_lines: 5,
      records: 5,
      valid_rows: 5,
      valid_cents: 12_500,
      invalid_rows: 0,
    });
    expect((await rowsOf(claim.fileId)).map((row) => row.batch_no)).toEqual([1, 1, 2, 2, 3]);
    const batches = await readBatches(world.app.ledger, claim.fileId);
    expect(batches.map(({ state, rows, cents }) => ({ state, rows, cents }))).toEqual([
      { state: 'ready', rows: 2, cents: 5_000 },
      { state: 'ready', rows: 2, cents: 5_000 },
      { state: 'ready', rows: 1, cents: 2_500 },
    ]);
    expect(await world.movesOf(claim)).toEqual(['claim', 'accept']);
    expect(existsSync(claim.workDir)).toBe(false);
  });

  it('may be done again: nothing changes, and it rings again', async () => {
    const claim = await claimed(world.freshAccount());
    await intakeFile(world.app, claim);
    const before = await world.file(claim.fileId);
    expect(await rungBy(() => intakeFile(world.app, claim))).toEqual(['deliver', 'submit']);
    expect(await world.file(claim.fileId)).toEqual(before);
    expect(await rowsOf(claim.fileId)).toHaveLength(5);
  });

  it('eight at once take every row once', async () => {
    const claim = await claimed(world.freshAccount());
    await Promise.all(Array.from({ length: 8 }, () => intakeFile(world.app, claim)));
    expect(await rowsOf(claim.fileId)).toHaveLength(5);
    expect(await world.movesOf(claim)).toEqual(['claim', 'accept']);
  });

  it('withholds a bad row, and holds the file when they are too many', async () => {
    const account = world.freshAccount();
    const bad = achRow(99, { amount: 'ten' });
    const few = await world.takeIn(`drop/${account}/ach-charge`, lines([...upTo(10).map((n) => achRow(n)), bad]));
    expect((await rowsOf(few)).filter((row) => row.batch_no === null)).toEqual([{ line: 11, batch_no: null }]);

    const many = await claimed(account, lines([achRow(1), bad]));
    expect(await rungBy(() => intakeFile(world.app, many))).toEqual(['deliver']);
    expect(await world.file(many.fileId)).toMatchObject({
      state: 'held',
      reason_code: 'TOO_MANY_BAD_ROWS',
      reason: expect.stringContaining('1 of 2 rows'),
    });
  });

  it('refuses a file: its rows can be found, nothing of it can be sent', async () => {
    const claim = await claimed(world.freshAccount(), lines([achRow(1), 'A-2,too,short']));
    expect(await rungBy(() => intakeFile(world.app, claim))).toEqual(['deliver']);
    expect((await world.file(claim.fileId)).state).toBe('rejected');
    expect(await readBatches(world.app.ledger, claim.fileId)).toEqual([]);
    expect(await rowsOf(claim.fileId)).toHaveLength(2);
    expect(await world.query('SELECT 1 FROM sealed_part WHERE file_id = $1', [claim.fileId])).toEqual([]);
    expect(existsSync(claim.workDir)).toBe(false);
  });

  it.each([
    [
      'a file that the ledger does not know',
      (claim: Claim) => intakeFile(world.app, { fileId: `${claim.fileId}x` }),
      'Cannot find file',
    ],
    [
      'a folder that is not configured any more',
      (claim: Claim) => intakeFile({ ...world.app, folder: () => undefined }, claim),
      'Add the folder to paydrop.yaml again',
    ],
  ])('throws for %s, and leaves the claim', async (_what, run, message) => {
    const claim = await claimed(world.freshAccount());
    await expect(run(claim)).rejects.toThrow(message);
    expect((await world.file(claim.fileId)).state).toBe('claimed');
    expect(existsSync(claim.path)).toBe(true);
  });
});

describe('intakeFile, for a file larger than its folder takes', () => {
  it.each([
    [ROWS.length, 'accepted'],
    [ROWS.length - 1, 'rejected'],
  ])('at most %i bytes: %s', async (maxBytes, state) => {
    const claim = await claimed(world.freshAccount());
    const folder = { ...world.app.folder(claim.notes.folder)!, maxBytes };
    await intakeFile({ ...world.app, folder: () => folder }, claim);
    expect((await world.file(claim.fileId)).state).toBe(state);
    expect(await rowsOf(claim.fileId)).toHaveLength(state === 'accepted' ? 5 : 0);
    expect(await faultsOf(claim.fileId)).toEqual(
      state === 'accepted'
        ? []
        : [{ code: 'FILE_TOO_LARGE', line: 0, detail: `${ROWS.length} bytes, at most ${maxBytes}` }],
    );
    expect(existsSync(claim.workDir)).toBe(false);
  });
});

describe('intakeFile, for bytes that came before', () => {
  it('refuses them, names the first file, and takes them on another account', async () => {
    const [account, other] = [world.freshAccount(), world.freshAccount()];
    const first = await world.takeIn(`drop/${account}/ach-charge`, ROWS, 'first.csv');
    const second = await world.takeIn(`drop/${account}/ach-charge`, ROWS, 'second.csv');
    expect(await world.file(second)).toMatchObject({
      state: 'rejected',
      reason_code: 'DUPLICATE_FILE',
      duplicate_of: first,
      reason: expect.stringContaining(`they were in "first.csv" (file ${first})`),
    });
    expect(await rowsOf(second)).toEqual([]);
    expect(await faultsOf(second)).toMatchObject([{ code: 'DUPLICATE_FILE', line: 0 }]);
    const elsewhere = await world.takeIn(`drop/${other}/ach-charge`, ROWS, 'first.csv');
    expect((await world.file(elsewhere)).state).toBe('accepted');
  });

  it('looks at them again when the first file was refused or declined', async () => {
    const folder = `drop/${world.freshAccount()}/ach-charge`;
    const short = lines([achRow(1), 'A-2,too,short']);
    await world.takeIn(folder, short);
    const again = await world.takeIn(folder, short);
    expect(await world.file(again)).toMatchObject({ state: 'rejected', duplicate_of: null });

    const many = lines([achRow(1), achRow(2, { amount: 'ten' })]);
    const held = await world.takeIn(folder, many);
    expect(await world.file(await world.takeIn(folder, many))).toMatchObject({
      state: 'rejected',
      duplicate_of: held,
    });
    await declineFile(world.app.ledger, held, { actor: 'operator:ada', reason: 'not ours' });
    expect(await world.file(await world.takeIn(folder, many))).toMatchObject({ state: 'held' });
  });

  it('two intakes that meet in the middle: one accepts, the other is the duplicate', async () => {
    const account = world.freshAccount();
    const claims = [await claimed(account, ROWS, 'one.csv'), await claimed(account, ROWS, 'two.csv')];
    let arrived = 0;
    let open = () => {};
    const both = new Promise<void>((resolve) => {
      open = resolve;
    });
    // Both have found no earlier file and written their rows before the first may decide.
    const app = beforeStatement(world.app, /pg_advisory_xact_lock/, async () => {
      arrived += 1;
      if (arrived === 2) open();
      await both;
    });
    await Promise.all(claims.map((claim) => intakeFile(app, claim)));

    const files = await Promise.all(claims.map((claim) => world.file(claim.fileId)));
    expect(files.map((file) => file.state).sort()).toEqual(['accepted', 'rejected']);
    const accepted = files.find((file) => file.state === 'accepted')!;
    const refused = files.find((file) => file.state === 'rejected')!;
    expect(refused).toMatchObject({ reason_code: 'DUPLICATE_FILE', duplicate_of: accepted.file_id });
    expect(await rowsOf(accepted.file_id)).toHaveLength(5);
    expect(await rowsOf(refused.file_id)).toEqual([]);
    expect(await world.movesOf({ fileId: refused.file_id })).toEqual(['claim', 'reject']);
  });

  it('takes another file of the same name, and says so', async () => {
    const account = world.freshAccount();
    const first = await world.takeIn(`drop/${account}/ach-charge`, ROWS);
    const second = await world.takeIn(`drop/${account}/ach-charge`, lines([achRow(7)]));
    expect((await world.file(second)).state).toBe('accepted');
    expect(await faultsOf(second)).toEqual([{ code: 'NAME_SEEN_BEFORE', line: 0, detail: `file ${first}` }]);
  });
});

describe('intakeFile, for a file that was changed after its claim', () => {
  const CHANGES: [string, (claim: Claim) => Promise<unknown>][] = [
    ['a row was appended', (claim) => appendFile(claim.path, lines([achRow(6)]))],
    ['the same number of bytes was written', (claim) => writeFile(claim.path, ROWS.replace('25.00', '99.00'))],
    [
      'the same number of bytes was written and the time set back',
      async (claim) => {
        const { atime, mtime } = await stat(claim.path);
        await writeFile(claim.path, ROWS.replace('25.00', '99.00'));
        await utimes(claim.path, atime, mtime);
      },
    ],
  ];

  it.each(CHANGES)('%s: held, and what was sealed stays what was claimed', async (_what, change) => {
    const claim = await claimed(world.freshAccount());
    await change(claim);
    expect(await rungBy(() => intakeFile(world.app, claim))).toEqual(['deliver']);
    const file = await world.file(claim.fileId);
    expect(file).toMatchObject({
      state: 'held',
      reason_code: 'MODIFIED_AFTER_CLAIM',
      valid_rows: 5,
      valid_cents: 12_500,
    });
    expect(await text(openOriginal(world.app, file))).toBe(ROWS);
    expect(existsSync(claim.workDir)).toBe(false);
  });
});

it('the work folder is empty when every file has its verdict', async () => {
  const left = await readdir(world.app.folder('drop/account-1/card')!.work);
  const states = await world.query<{ file_id: string }>(`SELECT file_id FROM file WHERE state <> 'claimed'`);
  expect(left.filter((name) => states.some((file) => file.file_id === name))).toEqual([]);
});
